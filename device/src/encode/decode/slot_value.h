/* A word of the decoder as a value of any type (spec/decryption.md, section 2), by integer
 * operations of public count. */
#ifndef ISOPOD_SLOT_VALUE_H
#define ISOPOD_SLOT_VALUE_H

#include "../../base/constant_time.h"
#include "decode.h"

/* |word|, and all ones if it is negative. */
static inline uint64_t isopod_slot_magnitude(int64_t word, uint32_t *negative) {
    *negative = isopod_ct_negative((int32_t)(word >> 32));
    uint64_t mask = isopod_ct_mask64(*negative);
    return ((uint64_t)word ^ mask) - mask;
}

/* Shifts to the left until bit 63 is set, by *zeros; 0 stays 0. */
static inline uint64_t isopod_slot_normalise(uint64_t value, uint32_t *zeros) {
    *zeros = 0;
    for (uint32_t by = 32; by > 0; by /= 2) {
        uint64_t top = value >> (64 - by);
        uint32_t clear = ~isopod_ct_nonzero((uint32_t)top);
        uint64_t mask = isopod_ct_mask64(clear);
        value = (value & ~mask) | (value << by & mask);
        *zeros += by & clear;
    }
    return value;
}

/* The upper `digits` bits of a normalised value, rounded to nearest, ties to even; 2^digits is
 * possible. */
static inline uint64_t isopod_slot_round(uint64_t value, uint32_t digits) {
    uint64_t kept = value >> (64 - digits), rest = value << digits;
    uint64_t below = rest << 1;
    uint32_t sticky = isopod_ct_nonzero((uint32_t)(below >> 32) | (uint32_t)below) & 1u;
    return kept + ((uint32_t)(rest >> 63) & (sticky | ((uint32_t)kept & 1u)));
}

/* sign * magnitude * 2^exponent, without subnormals: 2^exponent >= 2^-126. The leading one of the
 * rounded digits adds 1 to the exponent's field. */
static inline uint32_t isopod_slot_float32(uint64_t magnitude, int32_t exponent,
                                           uint32_t negative) {
    uint32_t zeros, some = isopod_ct_nonzero((uint32_t)(magnitude >> 32) | (uint32_t)magnitude);
    uint64_t digits = isopod_slot_round(isopod_slot_normalise(magnitude, &zeros), 24);
    uint32_t field = (uint32_t)(exponent + 63 + 126) - zeros;
    return (((field << 23) + (uint32_t)digits) | (negative & 0x80000000u)) & some;
}

static inline uint64_t isopod_slot_float64(uint64_t magnitude, int32_t exponent,
                                           uint32_t negative) {
    uint32_t zeros, some = isopod_ct_nonzero((uint32_t)(magnitude >> 32) | (uint32_t)magnitude);
    uint64_t digits = isopod_slot_round(isopod_slot_normalise(magnitude, &zeros), 53);
    uint64_t field = (uint32_t)(exponent + 63 + 1022) - zeros;
    uint64_t sign = (uint64_t)(negative & 0x80000000u) << 32;
    return (((field << 52) + digits) | sign) & isopod_ct_mask64(some);
}

/* Rounded to an integer, ties away from zero; exponent < 0. */
static inline int64_t isopod_slot_integer(uint64_t magnitude, int32_t exponent, uint32_t negative) {
    uint32_t down = (uint32_t)-exponent;
    uint64_t value = down > 64 ? 0 : ((magnitude >> (down - 1)) + 1u) >> 1;
    uint64_t mask = isopod_ct_mask64(negative);
    return (int64_t)((value ^ mask) - mask);
}

static inline void isopod_slot_store(void *out, uint32_t index, uint64_t magnitude,
                                     uint32_t negative, const isopod_slots *slots) {
    switch (slots->type) {
    case ISOPOD_VALUES_FLOAT32:
        ((uint32_t *)out)[index] = isopod_slot_float32(magnitude, slots->exponent, negative);
        break;
    case ISOPOD_VALUES_FLOAT64:
        ((uint64_t *)out)[index] = isopod_slot_float64(magnitude, slots->exponent, negative);
        break;
    case ISOPOD_VALUES_INT32:
        ((int32_t *)out)[index] =
            (int32_t)isopod_slot_integer(magnitude, slots->exponent, negative);
        break;
    default:
        ((int64_t *)out)[index] = isopod_slot_integer(magnitude, slots->exponent, negative);
        break;
    }
}

/* 3^exponent mod 2n. */
static inline uint32_t isopod_slot_order(uint32_t exponent, uint32_t n) {
    uint32_t order = 1, square = 3;
    for (; exponent != 0; exponent >>= 1) {
        order = (exponent & 1u) != 0 ? order * square & (2 * n - 1) : order;
        square = square * square & (2 * n - 1);
    }
    return order;
}

/* A walk over the slots that are written, row by row. */
typedef struct {
    uint32_t order; /* 3^slot mod 2n */
    uint32_t left;  /* slots of this row, this one included */
    uint32_t columns;
    uint32_t jump; /* 3^(places between rows) mod 2n */
    uint32_t mask;
} isopod_slot_walk;

static inline isopod_slot_walk isopod_slot_start(const isopod_slots *slots) {
    isopod_slot_walk walk = {
        isopod_slot_order(slots->first, slots->n), slots->columns, slots->columns,
        isopod_slot_order(slots->stride - slots->columns, slots->n), 2 * slots->n - 1};
    return walk;
}

static inline void isopod_slot_advance(isopod_slot_walk *walk) {
    walk->order = 3 * walk->order & walk->mask;
    if (--walk->left == 0) {
        walk->left = walk->columns;
        walk->order = walk->order * walk->jump & walk->mask;
    }
}

/* The number of values. */
static inline uint32_t isopod_slot_count(const isopod_slots *slots) {
    return slots->rows * slots->columns;
}

/* The index of the word of the slot with this power of 3. */
static inline uint32_t isopod_slot_place(uint32_t order, uint32_t n) {
    uint32_t folded = (order & 2u) != 0 ? 2 * n - order : order;
    return ((folded - 1) / 4) ^ 1u;
}

#endif
