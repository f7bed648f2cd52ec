/* Rounded coefficients of BFV and CKKS at n = 1024 under every kind of key: any configuration that
 * the checks let pass, any values from arrays and callbacks, with linear tags; output in steps of
 * any length. */
// sources: encrypt decrypt/decryption_key.c schemes encode ring random keys tag/linear_tag.c
// sources: tag/column_tag.c base/piece_stream.c base/workspace.c base/parameters.c
// sources: base/parameter_sets.c cbor/cbor.c wire/frame.c wire/rounded_frame.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c encode_stub.c
// mains: under_secret framed under_public under_seeded
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
// options: -eva-slevel-function isopod_rounded_multiply:600,put_all:400,isopod_rounded_put:100
// options: -eva-slevel-function message:0,add_row:0
// options under_secret: -eva-slevel-function take_pieces:20
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/rounded.h"
#include "set.h"

/* Encryptions drop at most so many bits. Eva does not see later that more were refused, which is
 * why those have calls of their own. */
#define MOST_DROPPED 25u

static isopod_encryption_config config;
static isopod_rounding rounding;
static isopod_rounded context;
static isopod_linear_key linear_key;
static isopod_linear_secrets secrets;
static int32_t values[24];
static uint8_t packing[16], out[512];

static void read(void *state, uint32_t number, void *value) {
    arbitrary(value, 4);
}

static void read_many(void *state, uint32_t first, uint32_t count, void *some) {
    arbitrary(some, (size_t)4 * count);
}

static void (*const many_readers[2])(void *state, uint32_t first, uint32_t count,
                                     void *some) = {NULL, read_many};

/* Values from an array, or from a callback. */
static isopod_value_source any_source(void) {
    isopod_value_source source = {{values, 20, ISOPOD_VALUES_INT32}, NULL, NULL, 0, NULL};
    source.log2_unit = (int8_t)SIGNED(-128, 127);
    source.values.data = EITHER(const void *, values, NULL);
    source.read = read;
    source.read_many = many_readers[BETWEEN(0, 1)];
    return source;
}

static void configure(const isopod_params *params, const isopod_rounded_method *method) {
    config.params = params;
    config.tables = &tables;
    config.suite = &isopod_suite_chacha20;
    config.key = &key;
    config.chunks = 1;
    config.accept_label = ANY8;
    config.level = (uint8_t)BETWEEN(0, 1);
    config.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    config.hedge_without_values = ANY8;
    config.stride = 6;
    config.buckets = BETWEEN(0, 1);
    config.packing = EITHER(const uint8_t *, packing, NULL);
    config.rounding = &rounding;
    rounding.method = method;
    rounding.columns = 5;
    rounding.run = BETWEEN(0, 6);
    rounding.dropped[0] = (uint8_t)BETWEEN(0, MOST_DROPPED);
    rounding.dropped[1] = (uint8_t)BETWEEN(0, MOST_DROPPED);
    ARBITRARY(packing);
    ARBITRARY(values);
    any_device(sizeof workspace);
}

/* Takes pieces until there is none, or gives up at any time. */
static void take_pieces(void) {
    size_t length;
    //@ dynamic_split context.encryption.config == 0;
    for (;;) {
        if (isopod_rounded_next(&context, out, SIZE_TO(sizeof out), &length) != ISOPOD_OK ||
            MAYBE) {
            isopod_rounded_abort(&context);
            return;
        }
    }
}

static void take_frame(void) {
    isopod_frame frame;
    isopod_piece piece;
    if (isopod_rounded_frame_begin(&frame, &context) != ISOPOD_OK) {
        return;
    }
    //@ dynamic_split context.encryption.config == 0;
    //@ dynamic_split frame.source == 0;
    for (;;) {
        if (isopod_frame_next(&frame, out, SIZE_TO(sizeof out), &piece) != ISOPOD_OK || MAYBE) {
            isopod_rounded_abort(&context);
            return;
        }
    }
}

static void bfv(const isopod_rounded_method *method, int has_linear_key, void (*take)(void)) {
    const isopod_value_source source = any_source();
    configure(&BFV, method);
    config.bound = BETWEEN(0, 0x7fffffff);
    ARBITRARY(secrets);
    isopod_linear_key_open_columns(&linear_key, &secrets);
    config.linear_key = has_linear_key ? &linear_key : NULL;
    rounding.dropped[0] = (uint8_t)BETWEEN(MOST_DROPPED + 1u, 255);
    (void)isopod_bfv_rounded_begin(&context, &config, &encryptor, &source);
    rounding.dropped[0] = (uint8_t)BETWEEN(0, MOST_DROPPED);
    rounding.dropped[1] = (uint8_t)BETWEEN(MOST_DROPPED + 1u, 255);
    (void)isopod_bfv_rounded_begin(&context, &config, &encryptor, &source);
    rounding.dropped[1] = (uint8_t)BETWEEN(0, MOST_DROPPED);
    if (isopod_bfv_rounded_begin(&context, &config, &encryptor, &source) == ISOPOD_OK) {
        take();
    }
}

static void ckks(const isopod_rounded_method *method) {
    isopod_value_source source = any_source();
    source.values.type = (isopod_value_type)BETWEEN(0, ISOPOD_VALUES_INT16);
    configure(&CKKS, method);
    config.log2_scale = ANY8;
    config.log2_bound = (int8_t)SIGNED(-128, 127);
    if (isopod_ckks_rounded_begin(&context, &config, &encryptor, &source) == ISOPOD_OK) {
        take_pieces();
    }
}

static int has_secret_key(void) {
    any_tables(&BFV);
    any_blob(ternary_blob, sizeof ternary_blob, ISOPOD_KEY_SECRET_TERNARY, 0);
    return isopod_secret_key_open(&key, &BFV, ternary_blob, sizeof ternary_blob) == ISOPOD_OK;
}

void under_secret(void) {
    if (has_secret_key()) {
        bfv(&isopod_rounded_secret, 1, take_pieces);
    }
}

/* Frames of a message from an array. */
void framed(void) {
    const isopod_value_source source = {{values, 20, ISOPOD_VALUES_INT32}, NULL, NULL, 0, NULL};
    if (has_secret_key()) {
        configure(&BFV, &isopod_rounded_secret);
        config.bound = 100;
        config.hedge_without_values = 1;
        config.packing = packing;
        rounding.run = 5;
        rounding.dropped[0] = 10;
        rounding.dropped[1] = 0;
        if (isopod_bfv_rounded_begin(&context, &config, &encryptor, &source) == ISOPOD_OK) {
            take_frame();
        }
    }
}

void under_public(void) {
    any_tables(&CKKS);
    any_blob(plain_blob, sizeof plain_blob, ISOPOD_KEY_PUBLIC, 0);
    if (isopod_public_key_open(&key, &CKKS, plain_blob, sizeof plain_blob) == ISOPOD_OK) {
        ckks(&isopod_rounded_public);
    }
}

void under_seeded(void) {
    any_tables(&BFV);
    any_blob(seeded_blob, sizeof seeded_blob, ISOPOD_KEY_PUBLIC_SEEDED, 0);
    if (isopod_public_key_open(&key, &BFV, seeded_blob, sizeof seeded_blob) == ISOPOD_OK) {
        bfv(&isopod_rounded_public_small, 0, take_pieces);
    }
}
