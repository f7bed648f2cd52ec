/* Arithmetic of linear tags modulo p = 2^61 - 1 (spec/verify.md), with products of 32 bits by 32:
 * constant time where these are. */
#ifndef ISOPOD_SRC_LINEAR_NUMBER_H
#define ISOPOD_SRC_LINEAR_NUMBER_H

#include <stdint.h>

#define ISOPOD_LINEAR_MODULUS ((UINT64_C(1) << 61) - 1u)
#define ISOPOD_LINEAR_TOP 0x1fffffffu /* its high word */

/* A number below 2^61 + 8, in words. */
typedef struct {
    uint32_t low, high;
} isopod_linear_number;

/* A number below 2^61 + 7 with the same remainder as a. */
//@ assigns \nothing;
static inline uint64_t isopod_linear_folded(uint64_t a) {
    return (a & ISOPOD_LINEAR_MODULUS) + (a >> 61);
}

/* The number below p of one below 2^61 + 7. */
//@ assigns \nothing;
static inline uint64_t isopod_linear_canonical(uint64_t a) {
    return (a + ((a + 1u) >> 61)) & ISOPOD_LINEAR_MODULUS;
}

/* a * r + m modulo p, for a, r < 2^61 + 8 and |m| < 2^31. With the product in words w3 .. w0, the
 * sum is w1:w0 mod 2^61 + floor(product / 2^61) + m + p < 2^63, and folded once below 2^61 + 4. */
static inline isopod_linear_number isopod_linear_step(isopod_linear_number a,
                                                      isopod_linear_number r, int32_t m) {
    const uint64_t low = (uint64_t)a.low * r.low;
    const uint64_t middle =
        (uint64_t)a.low * r.high + (uint64_t)a.high * r.low + (uint32_t)(low >> 32);
    const uint64_t high = (uint64_t)a.high * r.high + (uint32_t)(middle >> 32);
    const uint32_t word1 = (uint32_t)middle;
    uint64_t sum = (uint64_t)(word1 & ISOPOD_LINEAR_TOP) << 32 | (uint32_t)low;
    sum += high << 3 | word1 >> 29;
    sum = isopod_linear_folded(sum + (uint64_t)((int64_t)m + (int64_t)ISOPOD_LINEAR_MODULUS));
    const isopod_linear_number result = {(uint32_t)sum, (uint32_t)(sum >> 32)};
    return result;
}

/* a + b modulo p, for a, b < 2^61 + 8: below 2^61 + 2. */
//@ assigns \nothing;
static inline isopod_linear_number isopod_linear_plus(isopod_linear_number a,
                                                      isopod_linear_number b) {
    const uint64_t sum =
        isopod_linear_folded(((uint64_t)a.high << 32 | a.low) + ((uint64_t)b.high << 32 | b.low));
    const isopod_linear_number result = {(uint32_t)sum, (uint32_t)(sum >> 32)};
    return result;
}

/*@ requires \valid_read(words + (0 .. 1));
    assigns \nothing;
    ensures \result.low == words[0] && \result.high == words[1]; */
static inline isopod_linear_number isopod_linear_number_of(const uint32_t words[2]) {
    const isopod_linear_number result = {words[0], words[1]};
    return result;
}

/*@ requires \valid(words + (0 .. 1));
    assigns words[0 .. 1];
    ensures words[0] == a.low && words[1] == a.high; */
static inline void isopod_linear_store(uint32_t words[2], isopod_linear_number a) {
    words[0] = a.low;
    words[1] = a.high;
}

#endif
