/* Refusals of encryption into rounded coefficients: each with its error, nothing output, nothing
 * left; values by their number. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"

#include "../../src/encrypt/rounded.h" /* after the switch of the harness for secret keys */
#include "isopod/rounded.h"

static isopod_rounding rounding;
static float values[2048];
static uint32_t bad_number;

static void read_value(void *state, uint32_t number, void *value) {
    *(float *)value = number == bad_number ? 1e9f : values[number];
    (void)state;
}

/* Rows of 30 in 2048 coefficients. */
static void prepare(fixture *set, isopod_key_kind kind) {
    const isopod_rounding good = {.method = kind <= ISOPOD_KEY_PUBLIC_SEEDED
                                                ? &isopod_rounded_public
                                                : &isopod_rounded_secret,
                                  .columns = 30,
                                  .dropped = {7, kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 3 : 0}};
    size_t bytes = ISOPOD_ROUNDED_PUBLIC_WORKSPACE(2048, 2);
    check_memory_reset();
    fixture_open(set, &isopod_ckks_2048x1_air, kind);
    fixture_configure(set, &isopod_suite_chacha20, 1);
    rounding = good;
    set->encryptor.workspace.memory = check_memory(bytes);
    set->encryptor.workspace.bytes = bytes;
    set->config.log2_bound = 3;
    set->config.stride = 32;
    set->config.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    set->config.rounding = &rounding;
    for (uint32_t i = 0; i < 2048; i++) {
        values[i] = (float)(i % 17) - 8.0f;
    }
}

static isopod_status begin_with(fixture *set, isopod_value_source source) {
    isopod_rounded context;
    uint8_t byte;
    size_t length = 7;
    isopod_status status =
        isopod_ckks_rounded_begin(&context, &set->config, &set->encryptor, &source);
    if (status != ISOPOD_OK) {
        CHECK(isopod_rounded_next(&context, &byte, 1, &length) == ISOPOD_ERROR_STATE);
        CHECK(length == 0);
    }
    isopod_rounded_abort(&context);
    return status;
}

static isopod_value_source floats(uint32_t count) {
    const isopod_value_source source = {.values = {values, count, ISOPOD_VALUES_FLOAT32}};
    return source;
}

static isopod_status begin(fixture *set) {
    return begin_with(set, floats(30 * 64));
}

/* A member set to a value, and the status that follows. */
#define REFUSED(kind, change, status)                                                              \
    do {                                                                                           \
        fixture set;                                                                               \
        prepare(&set, kind);                                                                       \
        CHECK(begin(&set) == ISOPOD_OK);                                                           \
        change;                                                                                    \
        CHECK(begin(&set) == (status));                                                            \
    } while (0)

static void check_roundings(void) {
    const isopod_key_kind secret = ISOPOD_KEY_SECRET_NTT, public = ISOPOD_KEY_PUBLIC;
    REFUSED(secret, set.config.layout = ISOPOD_COEFFICIENTS, ISOPOD_ERROR_LAYOUT);
    REFUSED(secret, set.config.rounding = NULL, ISOPOD_ERROR_ROUNDING);
    REFUSED(secret, rounding.method = NULL, ISOPOD_ERROR_ROUNDING);
    REFUSED(secret, set.config.fault_check = &isopod_compute_twice, ISOPOD_ERROR_ROUNDING);
    REFUSED(secret, rounding.method = &isopod_rounded_public, ISOPOD_ERROR_KEY_KIND);
    REFUSED(public, rounding.method = &isopod_rounded_secret, ISOPOD_ERROR_KEY_KIND);
    REFUSED(secret, rounding.dropped[1] = 1, ISOPOD_ERROR_ROUNDING);
    REFUSED(secret, rounding.dropped[0] = 30, ISOPOD_ERROR_ROUNDING);
    REFUSED(public, rounding.dropped[1] = 30, ISOPOD_ERROR_ROUNDING);
    REFUSED(public, rounding.dropped[1] = 29, ISOPOD_OK);
}

static void check_rows(void) {
    const isopod_key_kind kind = ISOPOD_KEY_SECRET_TERNARY;
    REFUSED(kind, rounding.columns = 31, ISOPOD_ERROR_COUNT);
    REFUSED(kind, rounding.columns = 64, ISOPOD_ERROR_STRIDE);
    REFUSED(kind, rounding.run = 29, ISOPOD_ERROR_STRIDE);
    REFUSED(kind, rounding.run = 32, ISOPOD_OK);
    REFUSED(kind, rounding.run = 33, ISOPOD_ERROR_STRIDE);
    REFUSED(kind, set.config.stride = 29, ISOPOD_ERROR_STRIDE);
    REFUSED(kind, set.config.stride = 33, ISOPOD_ERROR_STRIDE);
    REFUSED(kind, set.config.stride = 0, ISOPOD_OK);
    REFUSED(kind, set.config.stride = UINT32_MAX, ISOPOD_ERROR_STRIDE);
    REFUSED(kind, set.config.buckets = 4, ISOPOD_ERROR_BUCKETS);
    REFUSED(kind, set.config.buckets = 2, ISOPOD_OK);
    REFUSED(kind, set.encryptor.workspace.bytes = ISOPOD_ROUNDED_SECRET_WORKSPACE(2048, 1, 1) - 1,
            ISOPOD_ERROR_WORKSPACE);
    REFUSED(kind, set.encryptor.workspace.bytes = ISOPOD_ROUNDED_SECRET_WORKSPACE(2048, 1, 1),
            ISOPOD_OK);
    REFUSED(kind, set.config.log2_scale = 23, ISOPOD_ERROR_SCALE);
    REFUSED(kind, set.config.log2_bound = 14, ISOPOD_ERROR_BOUND);
    REFUSED(kind, set.config.level = 2, ISOPOD_ERROR_LEVEL);
    REFUSED(kind, set.sender.key = NULL, ISOPOD_ERROR_SENDER);
}

static isopod_status count(fixture *set, uint32_t number) {
    return begin_with(set, floats(number));
}

static void check_values(void) {
    fixture set;
    isopod_rounded context;
    isopod_value_source source = floats(60);
    prepare(&set, ISOPOD_KEY_SECRET_NTT);
    CHECK(count(&set, 0) == ISOPOD_ERROR_COUNT && count(&set, 2049) == ISOPOD_ERROR_COUNT);
    values[47] = 8.001f;
    values[51] = 9.0f;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
          ISOPOD_ERROR_VALUE_RANGE);
    CHECK(isopod_rounded_refused(&context) == 47);
    const union {
        uint32_t bits;
        float value;
    } infinite = {0x7f800000u};
    values[31] = infinite.value;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
          ISOPOD_ERROR_NOT_FINITE);
    CHECK(isopod_rounded_refused(&context) == 31);
    source.log2_unit = 1;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
          ISOPOD_ERROR_BOUND);
    source.values.data = NULL;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
          ISOPOD_ERROR_COUNT);
    source.read = read_value;
    source.log2_unit = 0;
    source.values.type = ISOPOD_VALUES_INT64;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
          ISOPOD_ERROR_VALUE_TYPE);
    source.values.data = values;
    source.values.type = ISOPOD_VALUES_UINT32;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
          ISOPOD_ERROR_VALUE_TYPE);
}

/* A value from a callback ends the encryption when its coefficient would leave. */
static void check_callback(void) {
    fixture set;
    isopod_rounded context;
    uint8_t out[1024];
    size_t length, taken = 0;
    isopod_value_source source = {.values = {NULL, 1920, ISOPOD_VALUES_FLOAT32},
                                  .read = read_value};
    prepare(&set, ISOPOD_KEY_SECRET_NTT);
    bad_number = 1000;
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) == ISOPOD_OK);
    isopod_status status;
    while ((status = isopod_rounded_next(&context, out, sizeof out, &length)) == ISOPOD_OK) {
        taken += length;
    }
    CHECK(status == ISOPOD_ERROR_VALUE_RANGE && isopod_rounded_refused(&context) == 1000);
    CHECK(length == 0 && taken > 2000 && taken <= 1000 * 23 / 8);
    const uint8_t *workspace = set.encryptor.workspace.memory;
    for (size_t i = 0; i < ISOPOD_ROUNDED_SECRET_WORKSPACE(2048, 1, 0); i++) {
        CHECK_QUIET(workspace[i] == 0);
    }
    CHECK(isopod_rounded_next(&context, out, sizeof out, &length) == ISOPOD_ERROR_STATE);
}

/* Integers of 16 bits with a unit are the same messages as their values. */
static void check_units(void) {
    static int16_t integers[30];
    int64_t out[2][30];
    size_t lengths[2];
    uint8_t piece[128];
    for (uint32_t turn = 0; turn < 2; turn++) {
        fixture set;
        isopod_rounded context;
        prepare(&set, ISOPOD_KEY_SECRET_NTT);
        set.config.hedge_without_values = 1;
        for (uint32_t i = 0; i < 30; i++) {
            integers[i] = (int16_t)(1000 * (int32_t)i - 15000);
            values[i] = (float)integers[i] / 2048.0f;
        }
        isopod_value_source source = floats(30);
        if (turn == 1) {
            source.values.data = integers;
            source.values.type = ISOPOD_VALUES_INT16;
            source.log2_unit = -11;
        }
        CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) ==
              ISOPOD_OK);
        CHECK(isopod_rounded_next(&context, piece, 128, &lengths[turn]) == ISOPOD_OK);
        const struct isopod_rounded_scheme *scheme =
            (const struct isopod_rounded_scheme *)(const void *)context.encryption.scheme;
        scheme->messages(&context, &source.values, 0, 30, out[turn]);
        isopod_rounded_abort(&context);
        integers[29] = -16385;
        CHECK(turn == 0 || isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor,
                                                     &source) == ISOPOD_ERROR_VALUE_RANGE);
        CHECK(turn == 0 || isopod_rounded_refused(&context) == 29);
    }
    CHECK(lengths[0] == 87 && lengths[1] == 87);
    for (uint32_t i = 0; i < 30; i++) {
        CHECK_QUIET(out[0][i] == out[1][i]);
    }
}

static void check_states(void) {
    fixture set;
    isopod_rounded context;
    isopod_frame frame;
    uint8_t byte;
    size_t length;
    isopod_value_source source = floats(30);
    prepare(&set, ISOPOD_KEY_PUBLIC_SEEDED);
    CHECK(isopod_ckks_rounded_begin(&context, &set.config, &set.encryptor, &source) == ISOPOD_OK);
    CHECK(isopod_rounded_next(&context, &byte, 0, &length) == ISOPOD_ERROR_CAPACITY);
    CHECK(isopod_rounded_frame_begin(&frame, &context) == ISOPOD_OK);
    CHECK(isopod_frame_part_bytes(&frame) > 6912);
    CHECK(isopod_rounded_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    isopod_rounded_abort(&context);
    CHECK(isopod_frame_part_bytes(&frame) == 0);
}

void test_rounded_errors(void) {
    check_roundings();
    check_rows();
    check_values();
    check_callback();
    check_units();
    check_states();
}
