/* Values as firmware has them: integers in a unit, callbacks and clamps give the message of the
 * array of the same values; what is refused is named. */
#include "../../src/encrypt/method.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

#define COUNT 40u
#define PIECE 512u

typedef struct {
    const isopod_values *values;
    uint32_t calls;
} asked;

static void read_value(void *state, uint32_t number, void *value) {
    asked *from = state;
    uint32_t bytes = from->values->type == ISOPOD_VALUES_INT16     ? 2
                     : from->values->type == ISOPOD_VALUES_FLOAT64 ? 8
                                                                   : 4;
    const uint8_t *at = (const uint8_t *)from->values->data + (size_t)bytes * number;
    for (uint32_t i = 0; i < bytes; i++) {
        ((uint8_t *)value)[i] = at[i];
    }
    from->calls++;
}

static isopod_status begin_from(const fixture *set, isopod_encryption *context,
                                const isopod_value_source *source) {
    return (set->params->plain != NULL ? isopod_bfv_begin_from : isopod_ckks_begin_from)(
        context, &set->config, &set->encryptor, source);
}

/* FNV-1a of the message, which begin leaves in the workspace, apart from the noise. Ciphertexts
 * differ where types do, since the root binds them. */
static uint64_t digest(fixture *set, isopod_encryption *context, isopod_status status) {
    static uint8_t out[PIECE];
    uint64_t hash = 0xcbf29ce484222325u;
    size_t length = 0;
    CHECK(status == ISOPOD_OK);
    if (status == ISOPOD_OK) {
        const uint8_t *message = isopod_encryption_memory_of(context).message;
        for (size_t i = 0; i < context->scheme->message(&set->config).bytes; i++) {
            hash = (hash ^ message[i]) * 0x100000001b3u;
        }
    }
    while ((status = isopod_encryption_next(context, out, sizeof out, &length)) == ISOPOD_OK) {
    }
    CHECK(status == ISOPOD_DONE);
    for (size_t i = 0; i < set->encryptor.workspace.bytes; i++) {
        CHECK_QUIET(((const uint8_t *)set->encryptor.workspace.memory)[i] == 0);
    }
    return hash;
}

static void restart(fixture *set) {
    static uint8_t first;
    first = 7;
    set->entropy = (isopod_entropy){.fill = fixture_fill, .state = &first};
    set->encryptor.entropy = &set->entropy;
    set->sender.sequence = 0;
    set->config.hedge_without_values = 1;
}

static uint64_t of_array(fixture *set, const isopod_values *values) {
    isopod_encryption context;
    restart(set);
    return digest(set, &context, fixture_begin(set, &context, values));
}

/* Both ways of a source. */
static void expect_digest(fixture *set, isopod_value_source source, uint64_t expected) {
    const isopod_values values = source.values;
    asked state = {&values, 0};
    isopod_encryption context;
    restart(set);
    isopod_status status = begin_from(set, &context, &source);
    CHECK(context.clamped == 0);
    CHECK(digest(set, &context, status) == expected);
    source.values.data = NULL;
    source.read = read_value;
    source.state = &state;
    restart(set);
    status = begin_from(set, &context, &source);
    CHECK(digest(set, &context, status) == expected);
    CHECK(state.calls >= values.count);
}

/* 2^-4 is the unit: every type holds the same numbers exactly. */
static void check_types(fixture *set, uint32_t layout, uint32_t count) {
    static float floats[2 * COUNT];
    static double doubles[2 * COUNT];
    static int32_t words[2 * COUNT];
    static int16_t halves[2 * COUNT];
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        halves[i] = (int16_t)((int32_t)(i * 7919 % 33) - 16);
        words[i] = halves[i];
        floats[i] = (float)halves[i] / 16.0F;
        doubles[i] = floats[i];
    }
    check_case("types of a source", layout);
    fixture_configure(set, &isopod_suite_chacha20, 4);
    fixture_layout(set, layout);
    if (layout != ISOPOD_COEFFICIENTS) {
        fixture_nearest(set);
    }
    set->config.log2_bound = 0;
    fixture_workspace(set);
    isopod_value_source source = {.values = {floats, count, ISOPOD_VALUES_FLOAT32}};
    const uint64_t expected = of_array(set, &source.values);
    expect_digest(set, source, expected);
    source.values = (isopod_values){doubles, count, ISOPOD_VALUES_FLOAT64};
    expect_digest(set, source, expected);
    source.log2_unit = -4;
    source.values = (isopod_values){words, count, ISOPOD_VALUES_INT32};
    expect_digest(set, source, expected);
    source.values = (isopod_values){halves, count, ISOPOD_VALUES_INT16};
    expect_digest(set, source, expected);
}

static void check_clamp(fixture *set, uint32_t layout) {
    static const float wild[4] = {0.25F, -3.0F, 1.0F, 1.0e30F};
    static const float tame[4] = {0.25F, -1.0F, 1.0F, 1.0F};
    static const int16_t short_wild[4] = {4, -48, 16, 32767};
    isopod_value_source source = {.values = {wild, 4, ISOPOD_VALUES_FLOAT32}};
    const isopod_values limited = {tame, 4, ISOPOD_VALUES_FLOAT32};
    isopod_encryption context;
    check_case("clamp", layout);
    fixture_configure(set, &isopod_suite_chacha20, 1);
    fixture_layout(set, layout);
    fixture_nearest(set);
    set->config.log2_bound = 0;
    fixture_workspace(set);
    const uint64_t expected = of_array(set, &limited);
    set->config.out_of_range = &isopod_clamp;
    restart(set);
    isopod_status status =
        isopod_ckks_begin(&context, &set->config, &set->encryptor, &source.values);
    CHECK(context.clamped == 2);
    CHECK(digest(set, &context, status) == expected);
    source.values = (isopod_values){short_wild, 4, ISOPOD_VALUES_INT16};
    source.log2_unit = -4;
    restart(set);
    status = begin_from(set, &context, &source);
    CHECK(context.clamped == 2);
    CHECK(digest(set, &context, status) == expected);
    set->config.out_of_range = NULL;
}

/* Values within the workspace, at the first place that is allowed and at the last, give the bytes
 * of values elsewhere. */
static void check_inside(fixture *set, uint8_t chunks) {
    const uint32_t n = set->n;
    const float *floats = fixture_values(n / 2, 0, 5);
    const isopod_values outside = {floats, n / 2, ISOPOD_VALUES_FLOAT32};
    check_case("values in the workspace", chunks);
    fixture_configure(set, &isopod_suite_chacha20, chunks);
    set->config.log2_bound = 0;
    fixture_workspace(set);
    const uint64_t expected = of_array(set, &outside);
    const size_t first = ISOPOD_CKKS_VALUES_OFFSET(n, 0), bytes = (size_t)2 * n;
    CHECK(ISOPOD_CKKS_VALUES_ROOM(set->encryptor.workspace.bytes, n, 0) >= bytes);
    for (uint32_t turn = 0; turn < 2; turn++) {
        size_t at = turn == 0 ? first : set->encryptor.workspace.bytes - bytes;
        uint8_t *place = (uint8_t *)set->encryptor.workspace.memory + at;
        for (size_t i = 0; i < bytes; i++) {
            place[i] = ((const uint8_t *)floats)[i];
        }
        const isopod_values inside = {place, n / 2, ISOPOD_VALUES_FLOAT32};
        CHECK(of_array(set, &inside) == expected);
    }
}

static void expect_refusal(fixture *set, const isopod_value_source *source, isopod_status expected,
                           uint32_t number) {
    isopod_encryption context;
    size_t length;
    uint8_t out[8];
    restart(set);
    CHECK(begin_from(set, &context, source) == expected);
    CHECK(context.refused == number);
    CHECK(isopod_encryption_next(&context, out, sizeof out, &length) == ISOPOD_ERROR_STATE);
    for (size_t i = 0; i < set->encryptor.workspace.bytes; i++) {
        CHECK_QUIET(((const uint8_t *)set->encryptor.workspace.memory)[i] == 0);
    }
}

static void check_refusals(fixture *set) {
    static float floats[COUNT];
    static const int16_t halves[3] = {16, 17, -17};
    static const uint32_t not_a_number = 0x7fc00000u;
    isopod_value_source source = {.values = {floats, COUNT, ISOPOD_VALUES_FLOAT32}};
    isopod_encryption context;
    asked state = {&source.values, 0};
    isopod_value_source called = {
        .values = {NULL, COUNT, ISOPOD_VALUES_FLOAT32}, .read = read_value, .state = &state};
    check_case("refusals of a source", 0);
    fixture_configure(set, &isopod_suite_chacha20, 4);
    set->config.log2_bound = 0;
    fixture_workspace(set);
    floats[31] = 1.5F;
    floats[38] = -2.0F;
    expect_refusal(set, &source, ISOPOD_ERROR_VALUE_RANGE, 31);
    expect_refusal(set, &called, ISOPOD_ERROR_VALUE_RANGE, 31);
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &source.values) ==
          ISOPOD_ERROR_VALUE_RANGE);
    CHECK(context.refused == 31);
    for (uint32_t i = 0; i < 4; i++) {
        ((uint8_t *)&floats[33])[i] = ((const uint8_t *)&not_a_number)[i];
    }
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &source.values) ==
          ISOPOD_ERROR_NOT_FINITE);
    CHECK(context.refused == 33);
    set->config.out_of_range = &isopod_clamp;
    expect_refusal(set, &source, ISOPOD_ERROR_NOT_FINITE, 33);
    set->config.out_of_range = NULL;
    source.log2_unit = 1;
    expect_refusal(set, &source, ISOPOD_ERROR_BOUND, 0);
    source.values = (isopod_values){halves, 3, ISOPOD_VALUES_INT16};
    source.log2_unit = -4;
    expect_refusal(set, &source, ISOPOD_ERROR_VALUE_RANGE, 1);
    source.log2_unit = -32;
    expect_refusal(set, &source, ISOPOD_ERROR_BOUND, 0);
    source.log2_unit = 0;
    source.values.data = NULL;
    expect_refusal(set, &source, ISOPOD_ERROR_COUNT, 0);
    source.values = (isopod_values){halves, 1, ISOPOD_VALUES_UINT32};
    expect_refusal(set, &source, ISOPOD_ERROR_VALUE_TYPE, 0);
}

static void check_integers(fixture *set, uint32_t layout) {
    static int32_t words[COUNT];
    static int16_t halves[COUNT];
    static const uint32_t large = 0xffffffffu;
    isopod_value_source source = {.values = {words, COUNT, ISOPOD_VALUES_INT32}};
    isopod_encryption context;
    check_case("integers of a source", layout);
    fixture_configure(set, &isopod_suite_chacha20, 8); /* message and noise are apart */
    set->config.layout = (uint8_t)layout;
    set->config.bound = 16;
    fixture_workspace(set);
    for (uint32_t i = 0; i < COUNT; i++) {
        halves[i] = (int16_t)((int32_t)(i * 7919 % 33) - 16);
        words[i] = halves[i];
    }
    const uint64_t expected = of_array(set, &source.values);
    expect_digest(set, source, expected);
    source.values = (isopod_values){halves, COUNT, ISOPOD_VALUES_INT16};
    expect_digest(set, source, expected);
    halves[9] = 17;
    expect_refusal(set, &source, ISOPOD_ERROR_VALUE_RANGE, 9);
    halves[9] = -300;
    words[9] = -16;
    source.values = (isopod_values){words, COUNT, ISOPOD_VALUES_INT32};
    const uint64_t limited = of_array(set, &source.values);
    source.values = (isopod_values){halves, COUNT, ISOPOD_VALUES_INT16};
    set->config.out_of_range = &isopod_clamp;
    restart(set);
    isopod_status status = begin_from(set, &context, &source);
    CHECK(context.clamped == 1);
    CHECK(digest(set, &context, status) == limited);
    set->config.out_of_range = NULL;
    source.values = (isopod_values){&large, 1, ISOPOD_VALUES_UINT32};
    expect_refusal(set, &source, ISOPOD_ERROR_VALUE_RANGE, 0);
    source.values.type = ISOPOD_VALUES_FLOAT32;
    expect_refusal(set, &source, ISOPOD_ERROR_VALUE_TYPE, 0);
}

static void check_rounded(fixture *set) {
    static const int16_t halves[2] = {1, 2};
    const isopod_value_source source = {.values = {halves, 2, ISOPOD_VALUES_INT16}};
    isopod_rounded context;
    check_case("clamp of rounded coefficients", 0);
    fixture_configure(set, &isopod_suite_chacha20, 1);
    rounded_configure(set);
    set->config.out_of_range = &isopod_clamp;
    CHECK(rounded_begin(set, &context, &source) == ISOPOD_ERROR_ROUNDING);
}

void test_value_sources(void) {
    fixture set;
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    check_types(&set, ISOPOD_SLOTS, COUNT);
    check_types(&set, ISOPOD_SLOTS_REPEATED, 32);
    check_types(&set, ISOPOD_COMPLEX, COUNT);
    check_types(&set, ISOPOD_COEFFICIENTS, COUNT);
    check_inside(&set, 1);
    check_inside(&set, 8);
    check_clamp(&set, ISOPOD_SLOTS);
    check_clamp(&set, ISOPOD_SLOTS_REPEATED);
    check_refusals(&set);
    check_rounded(&set);
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_TERNARY);
    check_inside(&set, 4);
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_8192x3w_sum, ISOPOD_KEY_SECRET_NTT);
    check_types(&set, ISOPOD_SLOTS, COUNT);
    check_memory_reset();
    fixture_open(&set, &isopod_bfv_2048x2_air, ISOPOD_KEY_SECRET_NTT);
    check_integers(&set, ISOPOD_SLOTS);
    check_integers(&set, ISOPOD_COEFFICIENTS);
    check_memory_reset();
}
