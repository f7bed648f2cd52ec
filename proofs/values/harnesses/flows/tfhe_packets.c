/* Packets of TFHE under a stream key of any contents: 32-bit words with either noise, 64-bit words;
 * any configuration, schemas of two runs, any values. Secret keys of 64-bit words, prepared. */
// sources: packet tfhe ring random tag keys/blob_parts.c base/piece_stream.c base/workspace.c cbor
// sources: encrypt/engine.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// mains: of_words of_long_words of_gaussian prepared
// options: -eva-slevel 40 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 40
// options: -eva-split-return full -eva-use-spec isopod_reduce
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "device.h"
#include "isopod/tfhe_keygen.h"
#include "isopod/tfhe_packet.h"

#define LARGEST_DEGREE 2048u
#define COEFFICIENTS 24u
#define PRIME 143142913

static uint32_t secret_blob[(ISOPOD_KEY_HEADER_BYTES + LARGEST_DEGREE / 4u) / 4u];
static isopod_tfhe_key key;
static uint8_t packing[16], bools[8], numbers[4], out[512];
static isopod_packet_counter counter;
static isopod_tfhe_packet_config config;
static isopod_tfhe_packet_context context;

static isopod_status next(const isopod_flash *flash, uint32_t step, uint64_t *first) {
    *first = ANY64;
    return MAYBE ? ISOPOD_OK : ISOPOD_ERROR_FLASH;
}

static void any_input(const isopod_tfhe_params *params, const isopod_tfhe_values *schema) {
    ARBITRARY(counter);
    counter.next = next;
    counter.flash = NULL;
    ARBITRARY(packing);
    ARBITRARY(bools);
    ARBITRARY(numbers);
    ARBITRARY(config);
    config.params = params;
    config.key = &key;
    config.schema = schema;
    config.packing = EITHER(const uint8_t *, packing, NULL);
    any_device(ISOPOD_TFHE_PACKET_WORKSPACE(COEFFICIENTS, 8u));
}

static void packets(const isopod_tfhe_params *params) {
    const isopod_tfhe_run runs[2] = {{bools, 8, ISOPOD_TFHE_BOOL}, {numbers, 4, ISOPOD_TFHE_U8}};
    const isopod_tfhe_values values = {runs, 2};
    size_t length;
    any_input(params, &values);
    const isopod_packet_encryptor packet_encryptor = {encryptor.workspace, &entropy, &sender,
                                                      MAYBE ? &counter : NULL};
    if (isopod_tfhe_packet_open(&context, &config, &sender) == ISOPOD_OK) {
        (void)isopod_tfhe_packet_announce(&context, &sender, out, SIZE_TO(sizeof out), &length);
        (void)isopod_tfhe_packet_encrypt(&context, &packet_encryptor, &values, out,
                                         SIZE_TO(sizeof out), &length);
    }
    isopod_tfhe_packet_close(&context);
}

static void under(const isopod_tfhe_params *params) {
    ARBITRARY(secret_blob);
    secret_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_TFHE_KEY_SECRET;
    if (isopod_tfhe_stream_key_open(&key, params, secret_blob, SIZE_TO(sizeof secret_blob)) ==
        ISOPOD_OK) {
        packets(params);
    }
}

void of_words(void) {
    under(&isopod_tfhe_1024_tuniform);
}

void of_long_words(void) {
    under(&isopod_tfhe_2048_tfhe_rs);
}

void of_gaussian(void) {
    under(&isopod_tfhe_1024_tfhepp);
}

void prepared(void) {
    static int32_t twiddles[LARGEST_DEGREE];
    static uint64_t memory[2u * LARGEST_DEGREE];
    isopod_tfhe_tables tables;
    //@ loop unroll 2048;
    for (uint32_t i = 0; i < LARGEST_DEGREE; i++) {
        twiddles[i] = SIGNED(-(PRIME / 2), PRIME / 2);
    }
    tables.twiddles = twiddles;
    ARBITRARY(tables.set_id);
    ARBITRARY(secret_blob);
    secret_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_TFHE_KEY_SECRET;
    if (isopod_tfhe_secret_key_open(&key, &isopod_tfhe_2048_tfhe_rs, secret_blob,
                                    SIZE_TO(sizeof secret_blob)) == ISOPOD_OK) {
        (void)isopod_tfhe_key_prepare(&key, &tables, memory, SIZE_TO(sizeof memory));
        (void)isopod_tfhe_blob_bytes(&isopod_tfhe_2048_tfhe_rs, (isopod_tfhe_key_kind)ANY8);
    }
}
