/* TFHE: keys of any contents in blobs of their length, tables within their bounds, messages of all
 * types with any values; every kind of key, both word sizes, frames taken in steps of any length.
 */
// sources: tfhe random/stream.c random/suite_chacha20.c random/suite_shake256.c random/aes.c
// sources: random/root.c random/sender.c random/noise.c tag/hedge.c tag/tag.c tag/poly1305.c
// sources: base/piece_stream.c base/workspace.c keys/blob_parts.c cbor/cbor.c wire/tfhe_frame.c
// sources: wire/frame.c encrypt/engine.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c
// mains: under_public under_seeded under_secret under_stream generate
// options: -eva-slevel 10 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 40
// options: -eva-split-return full -eva-use-spec isopod_reduce
// options: -eva-slevel-function inverse_pair:3000 -eva-slevel-function isopod_ring_multiply:40
// options: -eva-slevel-function isopod_tfhe_key_open:100
// options: -eva-slevel-function isopod_tfhe_begin:100 -eva-slevel-function encrypt:200
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "device.h"
#include "isopod/tfhe.h"
#include "isopod/tfhe_frame.h"
#include "isopod/tfhe_keygen.h"

#define N 1024u
#define SET isopod_tfhe_1024_tuniform
#define P 143142913

static int32_t twiddles[N];
static isopod_tfhe_tables tables;
static uint32_t public_blob[(ISOPOD_KEY_HEADER_BYTES + 8u * N) / 4u],
    seeded_blob[(ISOPOD_KEY_HEADER_BYTES + 32u + 4u * N) / 4u];
static uint32_t secret_blob[(ISOPOD_KEY_HEADER_BYTES + N / 4u) / 4u],
    transformed_blob[(ISOPOD_KEY_HEADER_BYTES + 4u * N) / 4u];
static uint64_t prepared[2u * N];
static isopod_tfhe_key key;
static isopod_tfhe_config config;
static uint8_t packing[16];

static uint8_t out[512];

/* Takes pieces until there is none, or gives up at any time. */
static void take_pieces(isopod_tfhe *context) {
    size_t length;
    //@ dynamic_split context->config == 0;
    for (;;) {
        if (isopod_tfhe_next(context, out, SIZE_TO(sizeof out), &length) != ISOPOD_OK || MAYBE) {
            isopod_tfhe_abort(context);
            return;
        }
    }
}

static void take_frame(isopod_tfhe *context) {
    isopod_frame frame;
    size_t length;
    if (isopod_tfhe_frame_begin(&frame, context) != ISOPOD_OK) {
        return;
    }
    //@ dynamic_split context->config == 0;
    //@ dynamic_split frame.source == 0;
    for (;;) {
        (void)isopod_tfhe_frame_bytes(&frame);
        if (isopod_tfhe_frame_next(&frame, out, SIZE_TO(sizeof out), &length) != ISOPOD_OK ||
            MAYBE) {
            isopod_tfhe_abort(context);
            return;
        }
    }
}

static void encrypt(void) {
    static uint8_t bools[40];
    static int32_t numbers[3];
    isopod_tfhe context;
    ARBITRARY(bools);
    ARBITRARY(numbers);
    const isopod_tfhe_run runs[2] = {{bools, 40, ISOPOD_TFHE_BOOL}, {numbers, 3, ISOPOD_TFHE_I32}};
    const isopod_tfhe_values values = {runs, 2};
    config.params = &SET;
    config.tables = &tables;
    config.suite = MAYBE ? &isopod_tfhe_chacha20 : &isopod_tfhe_aes128;
    config.key = &key;
    config.width = ANY8;
    config.accept_label = ANY8;
    config.hedge_without_values = ANY8;
    config.columns = ANY16;
    config.packing = EITHER(const uint8_t *, packing, NULL);
    any_device(ISOPOD_TFHE_PUBLIC_WORKSPACE(N, 4u));
    if (isopod_tfhe_begin(&context, &config, &encryptor, &values) == ISOPOD_OK) {
        (void)isopod_tfhe_bytes(&context);
        if (MAYBE) {
            take_pieces(&context);
        } else {
            take_frame(&context);
        }
    }
}

static void any_input(void) {
    (void)isopod_tfhe_tables_build(&tables, &SET, twiddles, SIZE_TO(sizeof twiddles));
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        twiddles[i] = SIGNED(-(P / 2), P / 2);
    }
    tables.twiddles = twiddles;
    ARBITRARY(tables.set_id);
    ARBITRARY(packing);
}

void under_public(void) {
    any_input();
    ARBITRARY(public_blob);
    public_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_TFHE_KEY_PUBLIC;
    if (isopod_tfhe_public_key_open(&key, &SET, public_blob, SIZE_TO(sizeof public_blob)) ==
        ISOPOD_OK) {
        encrypt();
    }
}

void under_seeded(void) {
    any_input();
    ARBITRARY(seeded_blob);
    seeded_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_TFHE_KEY_PUBLIC_SEEDED;
    if (isopod_tfhe_public_key_open(&key, &SET, seeded_blob, SIZE_TO(sizeof seeded_blob)) ==
        ISOPOD_OK) {
        encrypt();
    }
}

void under_secret(void) {
    any_input();
    ARBITRARY(secret_blob);
    secret_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_TFHE_KEY_SECRET;
    if (isopod_tfhe_secret_key_open(&key, &SET, secret_blob, SIZE_TO(sizeof secret_blob)) ==
        ISOPOD_OK) {
        if (MAYBE && isopod_tfhe_key_prepare(&key, &tables, prepared, SIZE_TO(sizeof prepared)) !=
                         ISOPOD_OK) {
            return;
        }
        encrypt();
    }
}

void under_stream(void) {
    any_input();
    ARBITRARY(secret_blob);
    secret_blob[ISOPOD_KEY_WORD_KIND] = ISOPOD_TFHE_KEY_SECRET;
    if (isopod_tfhe_stream_key_open(&key, &SET, secret_blob, SIZE_TO(sizeof secret_blob)) ==
        ISOPOD_OK) {
        encrypt();
    }
}

void generate(void) {
    static uint8_t seed[32], noise[32];
    static uint32_t secret[N / 16u];
    any_input();
    ARBITRARY(seed);
    ARBITRARY(noise);
    isopod_tfhe_keygen_secret(secret, &SET, seed);
    const isopod_tfhe_keygen keygen = {&SET, &tables, seed, noise, secret, workspace};
    (void)isopod_tfhe_keygen_blob(public_blob, &keygen, ISOPOD_TFHE_KEY_PUBLIC);
    (void)isopod_tfhe_keygen_blob(seeded_blob, &keygen, ISOPOD_TFHE_KEY_PUBLIC_SEEDED);
    (void)isopod_tfhe_keygen_blob(secret_blob, &keygen, ISOPOD_TFHE_KEY_SECRET);
    (void)isopod_tfhe_keygen_blob(transformed_blob, &keygen, ISOPOD_TFHE_KEY_SECRET_TRANSFORMED);
}
