/* Values as fixed-point words, and the check of their range (spec/ckks.md, section 4), in portable
 * C. Constant time with respect to the values. */
#include "values.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "decomposed.h"
#include "encode.h"
#include "float32.h"
#include "../backend/backend.h"

static isopod_decomposed decompose(const isopod_values *values, uint32_t index) {
    isopod_value_reader *reader = (isopod_value_reader *)(uintptr_t)values->data;
    switch (values->type) {
    case ISOPOD_VALUES_FLOAT32:
        return isopod_decompose32(((const uint32_t *)values->data)[index]);
    case ISOPOD_VALUES_FLOAT64:
        return isopod_decompose64(((const uint64_t *)values->data)[index]);
    case ISOPOD_VALUES_INT32:
        return isopod_decompose_integer(((const int32_t *)values->data)[index]);
    default: /* ISOPOD_VALUES_READ: the types are checked */
        return reader->at(reader, index);
    }
}

/* Shift amounts are secret; masks clamp them to their ranges. */
int64_t isopod_value_fixed64(const isopod_values *values, uint32_t index, int32_t fraction_bits) {
    isopod_decomposed value = decompose(values, index);
    int32_t shift = value.exponent + fraction_bits;
    //@ split shift < 0;
    uint32_t down = isopod_ct_negative(shift);
    uint32_t left = (uint32_t)shift & ~down & 63u;
    uint32_t right = (0u - (uint32_t)shift) & down;
    //@ split right < 64;
    uint32_t lost = isopod_ct_negative((int32_t)(63u - right)); /* all ones: below one half */
    right &= ~lost;
    uint64_t shifted = isopod_ct_shift_left(value.magnitude, left);
    shifted = isopod_ct_shift_right(shifted + (isopod_ct_shift_left(1, right) >> 1), right);
    shifted &= ~isopod_ct_mask64(lost);
    uint64_t sign = isopod_ct_mask64(isopod_ct_barrier(0u - value.sign));
    return (int64_t)((shifted ^ sign) - sign);
}

int32_t isopod_value_fixed32(const isopod_values *values, uint32_t index, int32_t fraction_bits) {
    if (values->type == ISOPOD_VALUES_FLOAT32) {
        return isopod_float32_fixed(((const uint32_t *)values->data)[index], fraction_bits);
    }
    return (int32_t)isopod_value_fixed64(values, index, fraction_bits);
}

/* Returns a word whose top bit is set if a > b. */
static uint32_t exceeds64(uint64_t a, uint64_t b) {
    return (uint32_t)((b - a) >> 32);
}

typedef struct {
    uint32_t not_finite;
    uint32_t over;
} violations;

/* Checks four values at a time. Infinities and NaN are distinguished only after a value exceeded
 * the limit. */
static uint32_t over_float32(const uint32_t *values, uint32_t count, uint32_t limit) {
    uint32_t over = 0, i = 0;
    for (; i + 4 <= count; i += 4) {
        over |= (limit - (values[i] & 0x7fffffffu)) | (limit - (values[i + 1] & 0x7fffffffu)) |
                (limit - (values[i + 2] & 0x7fffffffu)) | (limit - (values[i + 3] & 0x7fffffffu));
    }
    for (; i < count; i++) {
        over |= limit - (values[i] & 0x7fffffffu);
    }
    return over & 0x80000000u;
}

static violations check_float32(const uint32_t *values, uint32_t count, int32_t log2_bound) {
    violations found = {0, 0};
    found.over = over_float32(values, count, (uint32_t)(log2_bound + 127) << 23);
    ISOPOD_DECLASSIFY(found.over);
    if (found.over != 0) {
        found.not_finite = over_float32(values, count, ISOPOD_FLOAT32_INFINITY - 1u);
    }
    return found;
}

static violations check_float64(const uint64_t *values, uint32_t count, int32_t log2_bound) {
    violations found = {0, 0};
    uint64_t limit = (uint64_t)(log2_bound + 1023) << 52;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t magnitude = values[i] & 0x7fffffffffffffffu;
        found.not_finite |= exceeds64(magnitude, ISOPOD_FLOAT64_INFINITY - 1u);
        found.over |= exceeds64(magnitude, limit);
    }
    return found;
}

static violations check_int32(const int32_t *values, uint32_t count, int32_t log2_bound) {
    violations found = {0, 0};
    uint64_t limit = log2_bound < 0 ? 0 : (uint64_t)1 << log2_bound;
    for (uint32_t i = 0; i < count; i++) {
        found.over |= exceeds64(isopod_magnitude(values[i]), limit);
    }
    return found;
}

ISOPOD_SMALL isopod_status isopod_values_check(const isopod_values *values, int8_t log2_bound) {
#if ISOPOD_TAKES(VALUES)
    isopod_status status;
    if (isopod_native_values_check(values, log2_bound, &status)) {
        return status;
    }
#endif
    violations found;
    switch (values->type) {
    case ISOPOD_VALUES_FLOAT32:
        found = check_float32(values->data, values->count, log2_bound);
        break;
    case ISOPOD_VALUES_FLOAT64:
        found = check_float64(values->data, values->count, log2_bound);
        break;
    case ISOPOD_VALUES_INT32:
        found = check_int32(values->data, values->count, log2_bound);
        break;
    default:
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    ISOPOD_DECLASSIFY(found);
    if (found.not_finite >> 31 != 0) {
        return ISOPOD_ERROR_NOT_FINITE;
    }
    return found.over >> 31 != 0 ? ISOPOD_ERROR_VALUE_RANGE : ISOPOD_OK;
}
