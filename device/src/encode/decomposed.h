/* Values as sign, magnitude and exponent. Constant time. */
#ifndef ISOPOD_DECOMPOSED_H
#define ISOPOD_DECOMPOSED_H

#include "../base/constant_time.h"
#include "values.h"

//@ assigns \nothing;
static inline isopod_decomposed isopod_decompose32(uint32_t bits) {
    uint32_t biased = (bits >> 23) & 0xffu;
    uint32_t normal = isopod_ct_nonzero(biased) & 1u;
    isopod_decomposed value = {(bits & 0x7fffffu) | normal << 23,
                               (int32_t)(biased + 1u - normal) - 150, bits >> 31};
    return value;
}

static inline isopod_decomposed isopod_decompose64(uint64_t bits) {
    uint32_t biased = (uint32_t)(bits >> 52) & 0x7ffu;
    uint32_t normal = isopod_ct_nonzero(biased) & 1u;
    isopod_decomposed value = {(bits & 0xfffffffffffffu) | (uint64_t)normal << 52,
                               (int32_t)(biased + 1u - normal) - 1075, (uint32_t)(bits >> 63)};
    return value;
}

//@ assigns \nothing;
static inline uint32_t isopod_magnitude(int32_t value) {
    uint32_t mask = isopod_ct_negative(value);
    return ((uint32_t)value ^ mask) - mask;
}

/*@ assigns \nothing;
    ensures \result.exponent == 0 && \result.sign == (bits < 0 ? 1 : 0); */
static inline isopod_decomposed isopod_decompose_integer(int32_t bits) {
    isopod_decomposed value = {isopod_magnitude(bits), 0, (uint32_t)bits >> 31};
    return value;
}

#endif
