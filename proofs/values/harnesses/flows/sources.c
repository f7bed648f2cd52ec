/* Values one by one at n = 1024: from arrays of every type and from callbacks, in units, clamped,
 * with linear tags, in layouts without repetition; noise and chunks computed twice; output in steps
 * of any length. */
// sources: encrypt decrypt/decryption_key.c schemes encode ring random keys tag/hedge.c tag/tag.c
// sources: tag/poly1305.c tag/linear_tag.c tag/column_tag.c base/piece_stream.c base/workspace.c
// sources: base/parameters.c base/parameter_sets.c cbor/cbor.c
// stubs: primitives.c tag_stub.c random_stub.c ring_stub.c encode_stub.c
// mains: of_ckks of_coefficients of_bfv checked clamped
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 33
// options: -eva-split-return full -eva-use-spec isopod_reduce
// options of_bfv: -eva-slevel 30
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "encryption.h"
#include "isopod/bfv.h"
#include "isopod/ckks.h"

#define VALUES 24u

static isopod_linear_key linear_key;
static isopod_linear_secrets secrets;
static uint64_t values[VALUES];

static void read(void *state, uint32_t number, void *value) {
    arbitrary(value, 4);
}

static void read_many(void *state, uint32_t first, uint32_t count, void *some) {
    arbitrary(some, (size_t)4 * count);
}

static void read_double(void *state, uint32_t number, void *value) {
    arbitrary(value, 8);
}

static isopod_value_source any_source(isopod_value_type type) {
    isopod_value_source source = {{values, VALUES, type}, NULL, NULL, 0, NULL};
    source.log2_unit = (int8_t)SIGNED(-128, 127);
    if (MAYBE) {
        source.values.data = NULL;
        source.read = type == ISOPOD_VALUES_FLOAT64 ? read_double : read;
    } else if (MAYBE && type != ISOPOD_VALUES_FLOAT64) {
        source.values.data = NULL;
        source.read_many = read_many;
    }
    return source;
}

static void configure(const isopod_params *params) {
    ARBITRARY(values);
    ARBITRARY(packing);
    any_tables(params);
    config.params = params;
    config.tables = &tables;
    config.suite = &isopod_suite_chacha20;
    config.key = &key;
    config.encoder = NULL;
    config.chunks = 1;
    config.accept_label = ANY8;
    config.level = (uint8_t)BETWEEN(0, 1);
    config.hedge_without_values = ANY8;
    config.buckets = ANY32;
    config.packing = EITHER(const uint8_t *, packing, NULL);
    any_device(sizeof workspace);
}

static void ckks(uint8_t layout) {
    config.log2_scale = ANY8;
    config.log2_bound = (int8_t)SIGNED(-128, 127);
    config.layout = layout;
    config.out_of_range = MAYBE ? &isopod_clamp : NULL;
    const isopod_value_source source = any_source(MAYBE   ? ISOPOD_VALUES_FLOAT64
                                                  : MAYBE ? ISOPOD_VALUES_FLOAT32
                                                  : MAYBE ? ISOPOD_VALUES_INT16
                                                          : ISOPOD_VALUES_INT32);
    if (isopod_ckks_begin_from(&context, &config, &encryptor, &source) == ISOPOD_OK) {
        take_pieces();
    }
}

static int has_ntt_key(const isopod_params *params) {
    any_blob(ntt_blob, sizeof ntt_blob, ISOPOD_KEY_SECRET_NTT, 0);
    return isopod_secret_key_open(&key, params, ntt_blob, SIZE_TO(sizeof ntt_blob)) == ISOPOD_OK;
}

void of_ckks(void) {
    configure(&CKKS);
    if (has_ntt_key(&CKKS)) {
        ckks(ISOPOD_SLOTS);
    }
}

void of_coefficients(void) {
    configure(&CKKS);
    config.encoder = &isopod_encoder_coefficients32;
    if (has_ntt_key(&CKKS)) {
        ckks(ISOPOD_COEFFICIENTS);
    }
}

static void bfv(void) {
    const isopod_value_source source =
        any_source((isopod_value_type)BETWEEN(ISOPOD_VALUES_INT32, ISOPOD_VALUES_INT16));
    config.bound = BETWEEN(0, 0x7fffffff);
    config.layout = MAYBE ? ISOPOD_SLOTS : ISOPOD_COEFFICIENTS;
    if (isopod_bfv_begin_from(&context, &config, &encryptor, &source) == ISOPOD_OK) {
        take_pieces();
    }
}

void of_bfv(void) {
    configure(&BFV);
    ARBITRARY(secrets);
    isopod_linear_key_open(&linear_key, &secrets);
    config.linear_key = &linear_key;
    if (has_ntt_key(&BFV)) {
        bfv();
    }
}

void checked(void) {
    const isopod_values all = {values, VALUES, ISOPOD_VALUES_INT32};
    configure(&BFV);
    config.fault_check = &isopod_compute_twice;
    config.bound = BETWEEN(0, 0x7fffffff);
    config.layout = ISOPOD_COEFFICIENTS;
    any_blob(plain_blob, sizeof plain_blob, ISOPOD_KEY_PUBLIC, 0);
    if (isopod_public_key_open(&key, &BFV, plain_blob, SIZE_TO(sizeof plain_blob)) == ISOPOD_OK &&
        isopod_bfv_begin(&context, &config, &encryptor, &all) == ISOPOD_OK) {
        take_pieces();
    }
}

void clamped(void) {
    const isopod_values all = {values, VALUES, (isopod_value_type)BETWEEN(0, ISOPOD_VALUES_INT32)};
    configure(&CKKS);
    config.log2_scale = ANY8;
    config.log2_bound = (int8_t)SIGNED(-128, 127);
    config.layout = ISOPOD_SLOTS;
    config.out_of_range = &isopod_clamp;
    if (has_ntt_key(&CKKS)) {
        (void)isopod_ckks_begin(&context, &config, &encryptor, &all);
    }
}
