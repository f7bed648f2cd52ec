/* Packets of CKKS and BFV under a ternary key of any contents, pads, and packets of TFHE: any
 * configuration and values. */
// sources: packet pad ring random tag keys/blob.c keys/blob_parts.c keys/packet_key.c
// sources: base/piece_stream.c base/workspace.c base/parameters.c base/parameter_sets.c cbor/cbor.c
// sources: schemes/integer_range.c
// sources: schemes/plain_modulus.c encrypt/rounded_words.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// options: -eva-slevel 16 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/packet.h"
#include "isopod/pad.h"
#include "set.h"

static int16_t halves[64];
static int32_t words[64];
static uint8_t packing[16], out[512];
static isopod_packet_counter counter;

static isopod_status next(const isopod_flash *flash, uint32_t step, uint64_t *first) {
    *first = ANY64;
    return MAYBE ? ISOPOD_OK : ISOPOD_ERROR_FLASH;
}

static void any_counter(void) {
    ARBITRARY(counter);
    counter.next = next;
    counter.flash = NULL;
}

static isopod_values any_values(uint32_t count) {
    if (MAYBE) {
        const isopod_values values = {halves, count, ISOPOD_VALUES_INT16};
        return values;
    }
    const isopod_values values = {words, count, ISOPOD_VALUES_INT32};
    return values;
}

static isopod_packet_config config;

/* Announces and encrypts, if the checks let the configuration pass. */
static void use(void) {
    static isopod_packet_context context;
    static uint8_t context_key[ISOPOD_CONTEXT_KEY_BYTES];
    size_t length;
    isopod_packet_encryptor packet_encryptor = {encryptor.workspace, &entropy, &sender,
                                                EITHER(isopod_packet_counter *, &counter, NULL)};
    ARBITRARY(context_key);
    isopod_status status = MAYBE ? isopod_packet_open(&context, &config, &sender)
                                 : isopod_packet_resume(&context, &config, &sender, context_key);
    if (status == ISOPOD_OK) {
        const isopod_values values = any_values(20);
        (void)isopod_packet_announce(&context, &sender, out, SIZE_TO(sizeof out), &length);
        (void)isopod_packet_encrypt(&context, &packet_encryptor, &values, out, SIZE_TO(sizeof out),
                                    &length);
    }
    isopod_packet_close(&context);
}

/* Numbers beyond a bound come alone: Eva sees that they are refused, but not afterwards that those
 * that passed are within it. */
static void packets(const isopod_params *params, const isopod_packet_scheme *scheme,
                    const isopod_packet_method *method) {
    any_device(ISOPOD_PACKET_TRANSFORM_WORKSPACE(N));
    any_counter();
    ARBITRARY(config);
    config.params = params;
    config.key = &key;
    config.scheme = scheme;
    config.method = method;
    config.tables = &tables;
    config.packing = EITHER(const uint8_t *, packing, NULL);
    config.columns = 5;
    config.rows = 4;
    config.stride = 7;
    config.run = (uint16_t)BETWEEN(0, 7);
    config.buckets = (uint16_t)BETWEEN(0, 2);
    config.dropped = (uint8_t)BETWEEN(26, 255);
    use();
    config.dropped = (uint8_t)BETWEEN(0, 25);
    config.bound = BETWEEN(0x80000000u, 0xffffffffu);
    use();
    config.bound = BETWEEN(0, 0x7fffffff);
    config.device_bytes = (uint8_t)BETWEEN(5, 255);
    use();
    config.device_bytes = (uint8_t)BETWEEN(0, 4);
    config.tag_bytes = (uint8_t)BETWEEN(17, 255);
    use();
    config.tag_bytes = (uint8_t)BETWEEN(0, 16);
    config.naming = (uint8_t)BETWEEN(ISOPOD_NAMED_BY_RANDOM + 1, 255);
    use();
    config.naming = (uint8_t)BETWEEN(0, ISOPOD_NAMED_BY_RANDOM);
    use();
}

static void pads(void) {
    static isopod_pad_config config;
    static isopod_pad_keys keys;
    static isopod_pad_context context;
    static uint8_t pad_key[ISOPOD_PAD_KEY_BYTES];
    size_t length;
    any_device(sizeof workspace);
    any_counter();
    const isopod_pad_encryptor pad_encryptor = {&sender,
                                                EITHER(isopod_packet_counter *, &counter, NULL)};
    ARBITRARY(config);
    ARBITRARY(pad_key);
    config.key_id = EITHER(const uint8_t *, packing, NULL);
    config.packing = EITHER(const uint8_t *, packing, NULL);
    config.columns = (uint16_t)BETWEEN(0, 12);
    if (isopod_pad_derive(&keys, &config, &sender, pad_key) == ISOPOD_OK) {
        isopod_pad_ratchet(keys.root);
        if (isopod_pad_open(&context, &config, &sender, &keys) == ISOPOD_OK) {
            const isopod_values values = any_values(BETWEEN(0, 64));
            (void)isopod_pad_announce(&context, &sender, out, SIZE_TO(sizeof out), &length);
            (void)isopod_pad_encrypt(&context, &pad_encryptor, &values, out, SIZE_TO(sizeof out),
                                     &length);
        }
    }
    isopod_pad_close(&context);
}

int main(void) {
    ARBITRARY(halves);
    ARBITRARY(words);
    ARBITRARY(packing);
    any_blob(ternary_blob, sizeof ternary_blob, ISOPOD_KEY_SECRET_TERNARY, 0);
    if (MAYBE) {
        any_tables(&CKKS);
        if (isopod_packet_key_open(&key, &CKKS, ternary_blob, SIZE_TO(sizeof ternary_blob)) ==
            ISOPOD_OK) {
            packets(&CKKS, &isopod_packet_ckks, &isopod_packet_stream);
            packets(&CKKS, &isopod_packet_ckks, &isopod_packet_by_count);
        }
    } else if (MAYBE) {
        any_tables(&BFV);
        if (isopod_packet_key_embed(&key, &BFV, ternary_blob, SIZE_TO(sizeof ternary_blob)) ==
            ISOPOD_OK) {
            packets(&BFV, &isopod_packet_bfv, &isopod_packet_transform);
        }
    } else {
        pads();
    }
    return 0;
}
