/* Squares and products: known answers in any order of asking, frames equal to those of values that
 * come ready, largest readings, and everything that is refused. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#include "isopod/moments.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define MOST_NUMBERS 1024u
#define COLUMNS 8u
#define DERIVED ISOPOD_MOMENTS_COLUMNS(COLUMNS, ISOPOD_MOMENTS_PRODUCTS)
#define ROWS 3u
#define PIECE 512u

typedef struct {
    const isopod_values *values;
    uint32_t calls;
} asked;

static void read_reading(void *state, uint32_t number, void *value) {
    asked *from = state;
    CHECK_QUIET(from->calls++ % from->values->count == number);
    *(uint32_t *)value = ((const uint32_t *)from->values->data)[number];
}

static int32_t number_at(const isopod_value_source *source, uint32_t number) {
    int32_t value = -7;
    source->read_many(source->state, number, 1, &value);
    return value;
}

static void check_numbers(const isopod_value_source *source, const char *sha3) {
    static int32_t numbers[MOST_NUMBERS];
    uint32_t count = source->values.count;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = number_at(source, i);
    }
    CHECK(fixture_has_digest(numbers, (size_t)4 * count, sha3));
    for (uint32_t i = 0, at = 0; i < count; i++, at = (at + 389u) % count) {
        CHECK_QUIET(number_at(source, at) == numbers[at]);
    }
    for (uint32_t first = count; first-- > 0;) {
        int32_t piece[50];
        uint32_t length = 1 + first % 50;
        length = length < count - first ? length : count - first;
        source->read_many(source->state, first, length, piece);
        for (uint32_t i = 0; i < length; i++) {
            CHECK_QUIET(piece[i] == numbers[first + i]);
        }
    }
}

static void check_vector(const struct isopod_vector_moments *row) {
    const isopod_values readings =
        vector_numbers(row->numbers, row->rows * row->columns, row->reading_bits);
    const isopod_encryption_config config = {.params = vector_set(row->set),
                                             .log2_bound = (int8_t)row->log2_bound,
                                             .stride = row->stride != 0 ? row->stride
                                                                        : row->count / row->rows};
    asked state = {&readings, 0};
    isopod_moments_input input = {
        .readings = {.values = readings, .log2_unit = (int8_t)-row->fraction},
        .columns = row->columns,
        .kind = (isopod_moments_kind)row->moments,
        .memory = check_memory((size_t)8 * row->columns)};
    isopod_moments moments;
    isopod_value_source source;
    CHECK(isopod_moments_begin(&moments, &source, &input, &config) == ISOPOD_OK);
    CHECK(source.values.count == row->count && source.log2_unit == (int8_t)-row->fraction);
    check_numbers(&source, row->sha3);
    input.readings.values.data = NULL;
    input.readings.read = read_reading;
    input.readings.state = &state;
    CHECK(isopod_moments_begin(&moments, &source, &input, &config) == ISOPOD_OK);
    for (uint32_t i = 0; i < source.values.count; i++) {
        (void)number_at(&source, i);
    }
    (void)number_at(&source, source.values.count - row->columns);
    CHECK(state.calls == readings.count); /* in their order, each once */
    isopod_moments_end(&moments);
    for (uint32_t i = 0; i < ISOPOD_MOMENTS_WORDS(row->columns); i++) {
        CHECK_QUIET(input.memory[i] == 0);
    }
}

/* A frame of rows of 16-bit readings with their products. */
typedef struct plan {
    fixture set;
    isopod_rounding rounding;
    isopod_moments_input input;
    isopod_moments moments;
    isopod_value_source source;
    int32_t memory[ISOPOD_MOMENTS_WORDS(COLUMNS)];
} plan;

static int16_t readings[ROWS * COLUMNS];

static void fill(uint32_t limit) {
    uint32_t state = VECTOR_FIRST;
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        readings[i] = (int16_t)((int32_t)(vector_next(&state) % (2 * limit + 1)) - (int32_t)limit);
    }
    readings[3] = (int16_t)limit;
    readings[4] = (int16_t) - (int32_t)limit;
}

static void prepare(plan *plan, const isopod_params *params, uint32_t layout) {
    const isopod_value_source from = {.values = {readings, ROWS * COLUMNS, ISOPOD_VALUES_INT16},
                                      .log2_unit = params->plain != NULL ? 0 : -14};
    *plan = (struct plan){0};
    fixture_open(&plan->set, params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&plan->set, &isopod_suite_chacha20, 4);
    plan->set.config.log2_bound = 0;
    plan->set.config.bound = params->plain != NULL ? 32600 : 0; /* 180^2 <= 32600 < 181^2 */
    plan->set.config.stride = DERIVED;
    plan->set.config.hedge_without_values = 1;
    plan->input = (isopod_moments_input){from, COLUMNS, ISOPOD_MOMENTS_PRODUCTS, plan->memory};
    if (layout == ISOPOD_COEFFICIENTS_ROUNDED) {
        plan->set.config.chunks = 0;
        plan->rounding = (isopod_rounding){.method = &isopod_rounded_secret, .columns = DERIVED};
        plan->set.config.rounding = &plan->rounding;
        plan->set.config.encoder = NULL;
        plan->set.config.layout = (uint8_t)layout;
        rounded_workspace(&plan->set);
    } else {
        fixture_layout(&plan->set, layout);
        plan->set.config.encoder = params->plain != NULL ? NULL : plan->set.config.encoder;
        fixture_workspace(&plan->set);
    }
}

static isopod_status begin(plan *plan) {
    return isopod_moments_begin(&plan->moments, &plan->source, &plan->input, &plan->set.config);
}

/* FNV-1a of the residues of a frame; the status ends at `refused`, the number of a refused value
 * or UINT32_MAX. */
typedef struct {
    uint64_t hash;
    isopod_status status;
    uint32_t refused;
    uint32_t clamped;
} outcome;

static void add(outcome *found, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        found->hash = (found->hash ^ bytes[i]) * 0x100000001b3u;
    }
}

static outcome encrypt_slots(const plan *plan, const isopod_value_source *source) {
    outcome found = {0xcbf29ce484222325u, ISOPOD_OK, 0, 0};
    uint8_t out[PIECE];
    size_t length = 0;
    isopod_encryption context;
    found.status =
        (plan->set.params->plain != NULL ? isopod_bfv_begin_from : isopod_ckks_begin_from)(
            &context, &plan->set.config, &plan->set.encryptor, source);
    found.refused = context.refused;
    found.clamped = context.clamped;
    while (found.status == ISOPOD_OK) {
        add(&found, out, length);
        found.status = isopod_encryption_next(&context, out, sizeof out, &length);
    }
    return found;
}

static outcome encrypt_rounded(const plan *plan, const isopod_value_source *source) {
    outcome found = {0xcbf29ce484222325u, ISOPOD_OK, 0, 0};
    uint8_t out[PIECE];
    size_t length = 0;
    isopod_rounded context;
    found.status = rounded_begin(&plan->set, &context, source);
    while (found.status == ISOPOD_OK) {
        add(&found, out, length);
        found.status = isopod_rounded_next(&context, out, sizeof out, &length);
    }
    found.refused = isopod_rounded_refused(&context);
    return found;
}

static outcome encrypt(plan *plan, const isopod_value_source *source) {
    static uint8_t first;
    first = 7;
    plan->set.entropy = (isopod_entropy){.fill = fixture_fill, .state = &first};
    plan->set.encryptor.entropy = &plan->set.entropy;
    plan->set.sender.sequence = 0;
    return (plan->set.config.rounding != NULL ? encrypt_rounded : encrypt_slots)(plan, source);
}

/* The numbers of the frame, computed in another way: all products of a row at once. */
static void derive(const plan *plan, int32_t *out) {
    const int64_t unit = (int64_t)1 << -plan->input.readings.log2_unit;
    for (uint32_t r = 0; r < ROWS; r++) {
        const int16_t *row = readings + (size_t)COLUMNS * r;
        int32_t *at = out + (size_t)r * (DERIVED + plan->moments.gap);
        for (uint32_t i = 0; i < COLUMNS; i++) {
            *at++ = row[i];
        }
        for (uint32_t i = 0; i < COLUMNS; i++) {
            for (uint32_t j = i; j < COLUMNS; j++) {
                int64_t sum = (int64_t)row[i] * row[j] + unit / 2;
                int64_t below = ((sum % unit) + unit) % unit;
                *at++ = (int32_t)((sum - below) / unit);
            }
        }
    }
}

static void read_half(void *state, uint32_t number, void *value) {
    *(int16_t *)value = ((const int16_t *)state)[number];
}

static void check_frame(const isopod_params *params, uint32_t layout, uint32_t stride,
                        uint32_t limit) {
    static int32_t numbers[MOST_NUMBERS];
    plan plan;
    check_case("frame with products", layout);
    fill(limit);
    prepare(&plan, params, layout);
    plan.set.config.stride = stride;
    CHECK(begin(&plan) == ISOPOD_OK);
    isopod_value_source ready = plan.source;
    for (uint32_t i = 0; i < MOST_NUMBERS; i++) {
        numbers[i] = 0;
    }
    derive(&plan, numbers);
    ready.values.data = numbers;
    const outcome expected = encrypt(&plan, &ready), found = encrypt(&plan, &plan.source);
    CHECK(expected.status == ISOPOD_DONE && found.status == ISOPOD_DONE);
    CHECK(found.hash == expected.hash);
    plan.input.readings.values.data = NULL;
    plan.input.readings.read = read_half;
    plan.input.readings.state = readings;
    CHECK(begin(&plan) == ISOPOD_OK);
    CHECK(encrypt(&plan, &plan.source).hash == expected.hash);
    check_memory_reset();
}

/* A reading just beyond its own bound, but within that of the frame, is refused by its number. */
static void check_too_large(const isopod_params *params, uint32_t layout, uint32_t limit) {
    static const uint32_t at = COLUMNS + 5;
    plan plan;
    check_case("a reading beyond its bound", layout);
    fill(limit);
    prepare(&plan, params, layout);
    plan.set.config.log2_bound = params->plain != NULL ? 0 : 1;
    CHECK(begin(&plan) == ISOPOD_OK && plan.moments.most == limit);
    for (int32_t sign = -1; sign < 2; sign += 2) {
        readings[at] = (int16_t)(sign * (int32_t)limit);
        CHECK(encrypt(&plan, &plan.source).status == ISOPOD_DONE);
        readings[at] = (int16_t)(sign * (int32_t)(limit + 1));
        plan.moments.row = UINT32_MAX;
        const outcome found = encrypt(&plan, &plan.source);
        CHECK(found.status == ISOPOD_ERROR_VALUE_RANGE && found.refused == DERIVED + 5);
        plan.moments.row = UINT32_MAX;
    }
    check_memory_reset();
}

static void check_clamp(void) {
    plan plan;
    check_case("clamped readings", 0);
    fill(4096);
    readings[2] = 16385;
    prepare(&plan, &isopod_ckks_1024x1_sum, ISOPOD_SLOTS);
    plan.set.config.out_of_range = &isopod_clamp;
    CHECK(begin(&plan) == ISOPOD_OK);
    const outcome found = encrypt(&plan, &plan.source);
    CHECK(found.status == ISOPOD_DONE && found.clamped == 1);
    CHECK(number_at(&plan.source, COLUMNS + COLUMNS + COLUMNS - 1) == 16384); /* its square */
    check_memory_reset();
}

/* Bits of floats at the bound, one step beyond, infinite and no number, of both signs. */
static void check_floats(void) {
    static const uint32_t bits[6] = {0x3f800000u, 0x3f800001u, 0x7f800000u,
                                     0x7fc00000u, 0x00000001u, 0x7f7fffffu};
    static const int32_t expected[6] = {1024, INT32_MAX, INT32_MAX, INT32_MAX, 0, INT32_MAX};
    static uint32_t words[12];
    int32_t memory[ISOPOD_MOMENTS_WORDS(12)];
    const isopod_encryption_config config = {.params = &isopod_ckks_1024x1_sum};
    const isopod_moments_input input = {
        {.values = {words, 12, ISOPOD_VALUES_FLOAT32}, .log2_unit = -10},
        12,
        ISOPOD_MOMENTS_SQUARES,
        memory};
    isopod_moments moments;
    isopod_value_source source;
    check_case("floats at the bound", 0);
    for (uint32_t i = 0; i < 12; i++) {
        words[i] = bits[i / 2] | i % 2 << 31;
    }
    CHECK(isopod_moments_begin(&moments, &source, &input, &config) == ISOPOD_OK);
    for (uint32_t i = 0; i < 12; i++) {
        CHECK(number_at(&source, i) == (i % 2 != 0 ? -1 : 1) * expected[i / 2]);
        CHECK(number_at(&source, 12 + i) == (expected[i / 2] != 0 ? 1024 : 0));
    }
}

/* A member set to a value, and the status that follows. */
#define REFUSED(layout, params, change, expected)                                                  \
    do {                                                                                           \
        prepare(&plan, params, layout);                                                            \
        CHECK(begin(&plan) == ISOPOD_OK);                                                          \
        change;                                                                                    \
        plan.source.values.count = 77;                                                             \
        CHECK(begin(&plan) == (expected));                                                         \
        CHECK((plan.source.values.count == 77) == ((expected) != ISOPOD_OK));                      \
        check_memory_reset();                                                                      \
    } while (0)
#define IN_SLOTS(change, expected) REFUSED(ISOPOD_SLOTS, &isopod_ckks_1024x1_sum, change, expected)
#define OF_INTEGERS(change, expected)                                                              \
    REFUSED(ISOPOD_SLOTS, &isopod_bfv_2048x2_air, change, expected)
#define IN_ROUNDED(change, expected)                                                               \
    REFUSED(ISOPOD_COEFFICIENTS_ROUNDED, &isopod_ckks_2048x1_air, change, expected)

static void check_counts(void) {
    plan plan;
    check_case("counts that are refused", 0);
    IN_SLOTS(plan.input.columns = 0, ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.readings.values.count = 0, ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.readings.values.count = COLUMNS + 1, ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.columns = plan.input.readings.values.count = 31, ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.columns = plan.input.readings.values.count = UINT32_MAX,
             ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.readings.values.count = UINT32_MAX / COLUMNS * COLUMNS, ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.readings.values.data = NULL, ISOPOD_ERROR_COUNT);
    IN_SLOTS(plan.input.readings.values.type = ISOPOD_VALUES_FLOAT64, ISOPOD_ERROR_VALUE_TYPE);
    IN_SLOTS(plan.input.readings.values.type = ISOPOD_VALUES_UINT32, ISOPOD_ERROR_VALUE_TYPE);
    OF_INTEGERS(plan.input.readings.values.type = ISOPOD_VALUES_FLOAT32, ISOPOD_ERROR_VALUE_TYPE);
    IN_SLOTS(plan.set.config.layout = ISOPOD_COMPLEX, ISOPOD_ERROR_LAYOUT);
    IN_SLOTS(plan.set.config.layout = ISOPOD_COMPLEX_REPEATED, ISOPOD_ERROR_LAYOUT);
    IN_SLOTS(plan.set.config.stride = DERIVED - 1, ISOPOD_ERROR_STRIDE);
    IN_SLOTS(plan.set.config.stride = 0, ISOPOD_ERROR_STRIDE);
    IN_SLOTS(plan.set.config.stride = 513, ISOPOD_ERROR_STRIDE);
    IN_SLOTS(plan.set.config.stride = 512, ISOPOD_OK);
    IN_ROUNDED(plan.rounding.columns = 0, ISOPOD_ERROR_STRIDE);
    IN_ROUNDED(plan.rounding.columns = DERIVED + 1, ISOPOD_ERROR_STRIDE);
    IN_ROUNDED(plan.rounding.columns = 0; plan.input.readings.values.count = COLUMNS, ISOPOD_OK);
}

static void check_bounds(void) {
    plan plan;
    check_case("bounds and units that are refused", 0);
    IN_SLOTS(plan.input.readings.log2_unit = 1, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.input.readings.log2_unit = -31, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.input.readings.log2_unit = -128, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.input.readings.log2_unit = -30, ISOPOD_OK);
    IN_SLOTS(plan.input.readings.log2_unit = 1; plan.set.config.log2_bound = 4, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.input.readings.log2_unit = -31;
             plan.set.config.log2_bound = -1, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.set.config.log2_bound = 17, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.set.config.log2_bound = 16, ISOPOD_OK);
    IN_SLOTS(plan.set.config.log2_bound = 127, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.set.config.log2_bound = -14, ISOPOD_OK);
    IN_SLOTS(plan.set.config.log2_bound = -15, ISOPOD_ERROR_BOUND);
    IN_SLOTS(plan.set.config.log2_bound = -128, ISOPOD_ERROR_BOUND);
    OF_INTEGERS(plan.input.readings.log2_unit = -1, ISOPOD_ERROR_BOUND);
    OF_INTEGERS(plan.set.config.bound = 32400, ISOPOD_OK);
    CHECK(plan.moments.most == 180);
    OF_INTEGERS(plan.set.config.bound = 32399, ISOPOD_OK);
    CHECK(plan.moments.most == 179);
    OF_INTEGERS(plan.set.config.bound = 1, ISOPOD_OK);
    OF_INTEGERS(plan.set.config.bound = UINT32_MAX, ISOPOD_ERROR_BOUND);
}

static void check_fit(void) {
    check_case("columns that fit", 0);
    for (uint32_t places = 0; places < 5000; places++) {
        const uint32_t squares = isopod_moments_most_columns(places, ISOPOD_MOMENTS_SQUARES);
        const uint32_t products = isopod_moments_most_columns(places, ISOPOD_MOMENTS_PRODUCTS);
        CHECK_QUIET(2 * squares <= places && places < 2 * squares + 2);
        CHECK_QUIET(products * (products + 3) / 2 <= places &&
                    places < (products + 1) * (products + 4) / 2);
    }
    CHECK(isopod_moments_most_columns(512, ISOPOD_MOMENTS_PRODUCTS) == 30);
    CHECK(isopod_moments_most_columns(UINT32_MAX, ISOPOD_MOMENTS_PRODUCTS) == 32768);
}

void test_moments(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_moments); r++) {
        check_case(isopod_vectors_moments[r].set, r);
        check_vector(&isopod_vectors_moments[r]);
        check_memory_reset();
    }
    check_frame(&isopod_ckks_2048x1_air, ISOPOD_COEFFICIENTS_ROUNDED, DERIVED, 16384);
    check_frame(&isopod_ckks_2048x1_air, ISOPOD_COEFFICIENTS_ROUNDED, 64, 16384);
    check_frame(&isopod_bfv_2048x2_air, ISOPOD_COEFFICIENTS_ROUNDED, DERIVED, 180);
    check_frame(&isopod_ckks_1024x1_sum, ISOPOD_SLOTS, 48, 16384);
    check_frame(&isopod_ckks_1024x1_sum, ISOPOD_COEFFICIENTS, DERIVED, 16384);
    check_frame(&isopod_bfv_2048x2_air, ISOPOD_SLOTS, 61, 180);
    check_too_large(&isopod_ckks_2048x1_air, ISOPOD_COEFFICIENTS_ROUNDED, 16384);
    check_too_large(&isopod_ckks_1024x1_sum, ISOPOD_SLOTS, 16384);
    check_too_large(&isopod_bfv_2048x2_air, ISOPOD_COEFFICIENTS_ROUNDED, 180);
    check_clamp();
    check_floats();
    check_counts();
    check_bounds();
    check_fit();
}
