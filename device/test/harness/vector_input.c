/* Values and sets that the known answers name (vector_input.h). */
#include "vector_input.h"

#include "../../src/encode/cosines.h"
#include "check.h"

uint32_t vector_next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state;
}

/* One value as an integer in units of 2^(log2_bound - unit). */
static int64_t random_units(uint32_t x, uint32_t unit) {
    switch (unit) {
    case 23:
        return (int64_t)(x >> 8) - ((int64_t)1 << 23);
    case 52:
        return ((int64_t)(x >> 8) << 29) + ((int64_t)(x & 255u) << 21) - ((int64_t)1 << 52);
    default:
        return (int64_t)(x >> (31 - unit)) - ((int64_t)1 << unit);
    }
}

/* The order 3^j of slot j, folded to 1 mod 4. */
static uint32_t folded_order(uint32_t *order, uint32_t n) {
    uint32_t e = *order;
    *order = 3 * e & (2 * n - 1);
    return (e & 2u) != 0 ? 2 * n - e : e;
}

static int64_t units_of(char first_letter, uint32_t x, uint32_t folded, uint32_t n_unit[2]) {
    int64_t top = (int64_t)1 << n_unit[1];
    switch (first_letter) {
    case 'g': /* signs */
        return x < 0x80000000u ? top : -top;
    case 'q': /* square */
        return 2 * folded < n_unit[0] || 2 * folded > 3 * n_unit[0] ? top : -top;
    case 'r':
        return random_units(x, n_unit[1]);
    default:
        return top;
    }
}

static uint32_t count_of(const char *pattern, uint32_t n) {
    return fixture_is_text(pattern, "impulse") ? 1 : fixture_is_text(pattern, "short") ? 5 : n / 2;
}

static char letter_of(const char *pattern) {
    return fixture_is_text(pattern, "signs")                                         ? 'g'
           : fixture_is_text(pattern, "square")                                      ? 'q'
           : fixture_is_text(pattern, "random") || fixture_is_text(pattern, "short") ? 'r'
                                                                                     : 'c';
}

static void put(isopod_values *values, void *data, uint32_t i, int64_t units, uint32_t log2_bound) {
    double power = (double)((uint64_t)1 << log2_bound);
    switch (values->type) {
    case ISOPOD_VALUES_FLOAT32:
        ((float *)data)[i] = (float)units / 8388608.0f * (float)power;
        break;
    case ISOPOD_VALUES_FLOAT64:
        ((double *)data)[i] = (double)units / 4503599627370496.0 * power;
        break;
    default:
        ((int32_t *)data)[i] = (int32_t)units;
        break;
    }
}

isopod_values vector_values(const char *numbers, const char *pattern, uint32_t n,
                            uint32_t log2_bound) {
    isopod_values values = {NULL, count_of(pattern, n), ISOPOD_VALUES_INT32};
    uint32_t n_unit[2] = {n, log2_bound}, state = VECTOR_FIRST, order = 1;
    void *data = check_memory((size_t)8 * values.count);
    if (numbers[0] == 'f') {
        values.type = numbers[1] == '3' ? ISOPOD_VALUES_FLOAT32 : ISOPOD_VALUES_FLOAT64;
        n_unit[1] = numbers[1] == '3' ? 23 : 52;
    }
    for (uint32_t i = 0; i < values.count; i++) {
        uint32_t x = vector_next(&state), folded = folded_order(&order, n);
        put(&values, data, i, units_of(letter_of(pattern), x, folded, n_unit), log2_bound);
    }
    values.data = data;
    return values;
}

isopod_values vector_numbers(const char *numbers, uint32_t count, uint32_t log2_bound) {
    isopod_values values = {NULL, count, ISOPOD_VALUES_INT32};
    uint32_t state = VECTOR_FIRST, unit = log2_bound;
    void *data = check_memory((size_t)8 * count);
    if (numbers[0] == 'f') {
        values.type = numbers[1] == '3' ? ISOPOD_VALUES_FLOAT32 : ISOPOD_VALUES_FLOAT64;
        unit = numbers[1] == '3' ? 23 : 52;
    }
    for (uint32_t i = 0; i < count; i++) {
        put(&values, data, i, random_units(vector_next(&state), unit), log2_bound);
    }
    values.data = data;
    return values;
}

isopod_values vector_integers(const char *numbers, uint32_t count, uint32_t plain) {
    uint32_t state = VECTOR_FIRST, is_signed = numbers[0] == 's';
    uint32_t *data = check_memory((size_t)4 * count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t x = vector_next(&state);
        data[i] = is_signed ? (uint32_t)(x * plain >> 32) - (plain - 1u) / 2
                            : (uint32_t)(x * (plain + 1u) >> 33);
    }
    isopod_values values = {data, count, is_signed ? ISOPOD_VALUES_INT32 : ISOPOD_VALUES_UINT32};
    return values;
}

isopod_tables vector_cosines(uint32_t n) {
    uint32_t log2_degree = 0;
    int32_t *cosine32 = check_memory((size_t)4 * (n / 2 + 1));
    int64_t *cosine64 = check_memory((size_t)8 * (n / 2 + 1));
    while (1u << log2_degree < n) {
        log2_degree++;
    }
    isopod_build_cosines(cosine32, cosine64, log2_degree);
    isopod_tables tables = {.cosine32 = cosine32, .cosine64 = cosine64};
    return tables;
}

const isopod_params *vector_set_at(uint32_t index) {
    return index < ISOPOD_CKKS_SET_COUNT ? isopod_ckks_sets[index]
                                         : isopod_bfv_sets[index - ISOPOD_CKKS_SET_COUNT];
}

const isopod_params *vector_set(const char *name) {
    for (uint32_t s = 0; s < ISOPOD64_SET_COUNT; s++) {
        if (fixture_is_text(isopod64_sets[s]->name, name)) {
            return isopod64_sets[s];
        }
    }
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT + ISOPOD_BFV_SET_COUNT; s++) {
        if (fixture_is_text(vector_set_at(s)->name, name)) {
            return vector_set_at(s);
        }
    }
    CHECK(!"a set of this name");
    return isopod_ckks_sets[0];
}

const isopod_suite *vector_suite(uint32_t number) {
    return number == 1   ? &isopod_suite_chacha20
           : number == 2 ? &isopod_suite_shake256
                         : &isopod_suite_seal_shake256;
}
