/* Integers of 192 bits in two's complement; results at three 64-bit primes need 182. Carries are
 * computed without branches. */
#ifndef ISOPOD_INTEGER192_H
#define ISOPOD_INTEGER192_H

#include <stdint.h>

#include "../../base/constant_time.h"
#include "../../base/fixed64.h"

typedef struct {
    uint64_t words[3]; /* lowest first */
} isopod_integer192;

/* Adds b and carry to *a; returns the new carry. */
static inline uint64_t isopod_add_carry(uint64_t *a, uint64_t b, uint64_t carry) {
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
    __extension__ unsigned __int128 whole = *a;
    whole += b;
    whole += carry;
    *a = (uint64_t)whole;
    return (uint64_t)(whole >> 64);
#else
    uint64_t sum = *a + b + carry;
    carry = ((*a & b) | ((*a | b) & ~sum)) >> 63;
    *a = sum;
    return carry;
#endif
}

static inline isopod_integer192 isopod_add192(isopod_integer192 a, isopod_integer192 b) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < 3; i++) {
        carry = isopod_add_carry(&a.words[i], b.words[i], carry);
    }
    return a;
}

static inline isopod_integer192 isopod_subtract192(isopod_integer192 a, isopod_integer192 b) {
    uint64_t carry = 1;
    for (uint32_t i = 0; i < 3; i++) {
        carry = isopod_add_carry(&a.words[i], ~b.words[i], carry);
    }
    return a;
}

/* a * b + c for 0 <= a < 2^120 in two words, 0 <= b, c < 2^60. The signed product reads a lower
 * word whose top bit is set as 2^64 less. */
static inline isopod_integer192 isopod_multiply_add192(const uint64_t a[2], uint64_t b,
                                                       uint64_t c) {
    isopod_product64 low = isopod_multiply64((int64_t)a[0], (int64_t)b);
    isopod_product64 high = isopod_multiply64((int64_t)a[1], (int64_t)b);
    uint64_t is_upper = isopod_ct_mask64(isopod_ct_negative((int32_t)(a[0] >> 32)));
    uint64_t middle = (uint64_t)low.high + (b & is_upper);
    isopod_integer192 sum = {{low.low, middle, 0}};
    isopod_integer192 upper = {{c, high.low, (uint64_t)high.high}};
    return isopod_add192(sum, upper);
}

/* Bits by .. by + 63, 0 <= by < 192; by is public. */
static inline uint64_t isopod_bits192(isopod_integer192 a, uint32_t by) {
    uint64_t sign = isopod_ct_mask64(isopod_ct_negative((int32_t)(a.words[2] >> 32)));
    uint64_t low = by < 64 ? a.words[0] : by < 128 ? a.words[1] : a.words[2];
    uint64_t high = by < 64 ? a.words[1] : by < 128 ? a.words[2] : sign;
    return by % 64 == 0 ? low : low >> by % 64 | high << (64u - by % 64);
}

/* 2^by, 0 <= by < 192. */
/*@ requires by < 192;
    assigns \nothing;
    ensures \forall integer i; 0 <= i < 3 && i != by / 64 ==> \result.words[i] == 0;
    ensures \result.words[by / 64] == (uint64_t)(1 << by % 64); */
static inline isopod_integer192 isopod_power192(uint32_t by) {
    isopod_integer192 power = {{0, 0, 0}};
    power.words[by / 64] = (uint64_t)1 << by % 64;
    return power;
}

#endif
