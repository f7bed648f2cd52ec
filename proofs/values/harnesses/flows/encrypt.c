/* Encryption of CKKS and BFV at n = 1024 under keys of every kind, of any contents: any
 * configuration that the checks let pass, values of any type and contents, one or two chunks,
 * output in steps of any length; frames of it. */
// sources: encrypt decrypt/decryption_key.c schemes encode ring random keys tag/hedge.c tag/tag.c
// sources: tag/poly1305.c tag/linear_tag.c base/piece_stream.c base/workspace.c base/parameters.c
// sources: base/parameter_sets.c cbor/cbor.c wire/frame.c wire/encryption_frame.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c encode_stub.c
// mains: under_public under_seeded under_ternary under_transformed
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
// options: -eva-slevel-function isopod_secret_key_open:60
// options: -eva-slevel-function isopod_public_key_open:60 -eva-slevel-function refill:100
// options: -eva-slevel-function isopod_encryption_next:100,take_frame:40,take_pieces:40
// options under_public: -eva-slevel-function take_frame:20,take_pieces:20
// options under_transformed: -eva-slevel-function take_frame:20,take_pieces:20
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "encryption.h"
#include "isopod/bfv.h"
#include "isopod/ckks.h"
#include "isopod/frame.h"
#include "isopod/key.h"
#include "isopod/sealed_key.h"

static isopod_frame frame;
static uint32_t values[N];

static void take_frame(void) {
    isopod_piece piece;
    //@ dynamic_split context.config == 0;
    //@ dynamic_split frame.source == 0;
    if (isopod_frame_begin(&frame, &context) != ISOPOD_OK) {
        return;
    }
    for (;;) {
        (void)isopod_frame_part_bytes(&frame);
        if (isopod_frame_next(&frame, out, SIZE_TO(sizeof out), &piece) != ISOPOD_OK || MAYBE) {
            isopod_encryption_abort(&context);
            return;
        }
    }
}

static void take(void) {
    if (MAYBE) {
        take_pieces();
    } else {
        take_frame();
    }
}

static void configure(const isopod_params *params, uint8_t chunks) {
    config.params = params;
    config.tables = &tables;
    config.suite = &isopod_suite_chacha20;
    config.key = &key;
    config.encoder = NULL;
    config.chunks = chunks;
    config.accept_label = ANY8;
    config.level = (uint8_t)BETWEEN(0, 1);
    config.hedge_without_values = ANY8;
    config.stride = MAYBE ? 0 : BETWEEN(1, 0xffffffffu);
    config.buckets = ANY32;
    config.packing = EITHER(const uint8_t *, packing, NULL);
    any_device(sizeof workspace);
}

static void ckks(uint8_t chunks) {
    const isopod_values all = {values, BETWEEN(1, N / 2u),
                               (isopod_value_type)BETWEEN(0, ISOPOD_VALUES_INT32)};
    configure(&CKKS, chunks);
    config.log2_scale = ANY8;
    config.log2_bound = (int8_t)SIGNED(-128, 127);
    config.layout = (uint8_t)BETWEEN(0, 1);
    config.bound = ANY32;
    if (isopod_ckks_begin(&context, &config, &encryptor, &all) == ISOPOD_OK) {
        take();
    }
}

/* Bounds beyond a claim's are refused; Eva does not see that later, which is why they have a call
 * of their own. */
static void bfv(uint8_t chunks) {
    const isopod_values all = {
        values, BETWEEN(1, N),
        (isopod_value_type)BETWEEN(ISOPOD_VALUES_INT32, ISOPOD_VALUES_INT16)};
    configure(&BFV, chunks);
    config.log2_scale = 0;
    config.log2_bound = 0;
    config.layout = ANY8;
    config.bound = BETWEEN(0x80000000u, 0xffffffffu);
    (void)isopod_bfv_begin(&context, &config, &encryptor, &all);
    config.bound = BETWEEN(0, 0x7fffffff);
    if (isopod_bfv_begin(&context, &config, &encryptor, &all) == ISOPOD_OK) {
        take();
    }
}

static void any_input(const isopod_params *params) {
    ARBITRARY(values);
    ARBITRARY(packing);
    any_tables(params);
}

void under_public(void) {
    any_input(&CKKS);
    any_blob(plain_blob, sizeof plain_blob, ISOPOD_KEY_PUBLIC, 0);
    if (isopod_public_key_open(&key, &CKKS, plain_blob, SIZE_TO(sizeof plain_blob)) == ISOPOD_OK) {
        ckks(1);
    }
    any_blob(plain_blob, sizeof plain_blob, ISOPOD_KEY_PUBLIC, 1);
    (void)isopod_public_key_open(&key, &CKKS, plain_blob, SIZE_TO(sizeof plain_blob));
}

void under_seeded(void) {
    any_input(&BFV);
    any_blob(seeded_blob, sizeof seeded_blob, ISOPOD_KEY_PUBLIC_SEEDED, 0);
    if (isopod_public_key_open(&key, &BFV, seeded_blob, SIZE_TO(sizeof seeded_blob)) == ISOPOD_OK) {
        bfv(2);
    }
}

void under_ternary(void) {
    any_input(&BFV);
    any_blob(ternary_blob, sizeof ternary_blob, ISOPOD_KEY_SECRET_TERNARY, 0);
    if (isopod_secret_key_open(&key, &BFV, ternary_blob, SIZE_TO(sizeof ternary_blob)) ==
        ISOPOD_OK) {
        bfv(1);
    }
}

void under_transformed(void) {
    any_input(&CKKS);
    any_blob(ntt_blob, sizeof ntt_blob, ISOPOD_KEY_SECRET_NTT, 0);
    if (isopod_secret_key_open(&key, &CKKS, ntt_blob, SIZE_TO(sizeof ntt_blob)) == ISOPOD_OK) {
        ckks(2);
    }
}
