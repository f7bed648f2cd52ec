/* 32-bit fixed-point words with 30 fraction bits and 64-bit products, for encode_template.h and
 * decode_template.h. */
#ifndef ISOPOD_FIXED32_H
#define ISOPOD_FIXED32_H

#include <stdint.h>

typedef int64_t isopod_product32;

/* a*b/4 in the fixed format, rounded */
/*@ assigns \nothing;
    ensures \result * 0x100000000 <= a * b + 0x80000000 < (\result + 1) * 0x100000000; */
static inline int32_t isopod_quarter32(int32_t a, int32_t b) {
    return (int32_t)(((int64_t)a * b + 0x80000000) >> 32);
}

/* a*b + c*d, exact */
/*@ requires INT64_MIN <= a * b + c * d <= INT64_MAX;
    assigns \nothing;
    ensures \result == a * b + c * d; */
static inline isopod_product32 isopod_dot32(int32_t a, int32_t b, int32_t c, int32_t d) {
    return (int64_t)a * b + (int64_t)c * d;
}

/*@ requires INT64_MIN <= a + b <= INT64_MAX;
    assigns \nothing;
    ensures \result == a + b; */
static inline isopod_product32 isopod_add32(isopod_product32 a, isopod_product32 b) {
    return a + b;
}

/* product / 2^30, rounded */
/*@ requires -0x2000000000000000 <= product < 0x1fffffffe0000000;
    assigns \nothing;
    ensures \result * 0x40000000 <= product + 0x20000000 < (\result + 1) * 0x40000000; */
static inline int32_t isopod_fraction32(isopod_product32 product) {
    return (int32_t)((product + ((int64_t)1 << 29)) >> 30);
}

/* floor(product / 2^(32 + f) + offset / 2^32), 0 <= f <= 30. */
static inline int32_t isopod_round32(isopod_product32 product, unsigned f, uint32_t offset) {
    return (int32_t)((product + (int64_t)((uint64_t)offset * (UINT32_C(1) << f))) >> 32) >> f;
}

#endif
