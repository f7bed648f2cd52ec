/* Signed Montgomery ([MONTGOMERY85], [SEILER18]) and Barrett ([BARRETT86]) reduction modulo q,
 * straight-line, constant time. R is 2^32 for q < 2^30, and 2^64 for q < 2^60 in 64-bit words;
 * bounds are written for both. */
#ifndef ISOPOD_MONTGOMERY_H
#define ISOPOD_MONTGOMERY_H

#include <stdint.h>

#include "../base/constant_time.h"
#include "../base/fixed64.h"
#include "../base/word.h"

#if ISOPOD_WORD_BITS == 32

typedef int64_t isopod_word_product;

static inline isopod_word_product isopod_word_multiply(int32_t a, int32_t b) {
    return (int64_t)a * b;
}

/* The sum a*b + c*d of two double-width products. */
static inline isopod_word_product isopod_word_dot(int32_t a, int32_t b, int32_t c, int32_t d) {
    return (int64_t)a * b + (int64_t)c * d;
}

/* product / R mod q, |result| <= |product| / R + q/2. The low words of product and multiple * q are
 * equal, so the difference of the high words is exact. */
static inline int32_t isopod_redc(isopod_word_product product, const isopod_prime *prime) {
    int32_t multiple = (int32_t)((uint32_t)product * (0u - prime->negative_inverse));
    int64_t cancelled = (int64_t)multiple * (int32_t)prime->modulus;
    return (int32_t)(product >> 32) - (int32_t)(cancelled >> 32);
}

/* value mod q with |result| <= q/2 + R/2 * |R/q - barrett| / R * q, which is below 0.75 q for every
 * q < R/4. */
/*@ requires \valid_read(prime);
    requires INT32_MIN <= ((value * prime->barrett + 0x80000000) >> 32) * prime->modulus;
    requires ((value * prime->barrett + 0x80000000) >> 32) * prime->modulus <= INT32_MAX;
    assigns \nothing;
    ensures -(3 * prime->modulus / 4) <= \result <= 3 * prime->modulus / 4; */
static inline int32_t isopod_reduce(int32_t value, const isopod_prime *prime) {
    int32_t quotient = (int32_t)(((int64_t)value * (int32_t)prime->barrett + 0x80000000) >> 32);
    return value - quotient * (int32_t)prime->modulus;
}

/* All ones if value < 0. */
static inline uint32_t isopod_word_negative(int32_t value) {
    return isopod_ct_negative(value);
}

#else

typedef isopod_product64 isopod_word_product;

static inline isopod_word_product isopod_word_multiply(int64_t a, int64_t b) {
    return isopod_multiply64(a, b);
}

static inline isopod_word_product isopod_word_dot(int64_t a, int64_t b, int64_t c, int64_t d) {
    return isopod_dot64(a, b, c, d);
}

static inline int64_t isopod_redc(isopod_word_product product, const isopod_prime64 *prime) {
    int64_t multiple = (int64_t)(product.low * prime->inverse);
    return product.high - isopod_high64(multiple, (int64_t)prime->modulus);
}

/*@ requires \valid_read(prime);
    assigns \nothing;
    ensures -(3 * prime->modulus / 4) <= \result <= 3 * prime->modulus / 4; */
static inline int64_t isopod_reduce(int64_t value, const isopod_prime64 *prime) {
    int64_t quotient = isopod_quarter64(value, (int64_t)prime->barrett);
    return (int64_t)((uint64_t)value - (uint64_t)quotient * prime->modulus);
}

static inline uint64_t isopod_word_negative(int64_t value) {
    return isopod_ct_mask64(isopod_ct_negative((int32_t)(value >> 32)));
}

#endif

/* a*b/R mod q, bounded as by isopod_redc. */
static inline isopod_word isopod_montgomery(isopod_word a, isopod_word b,
                                            const isopod_word_prime *prime) {
    return isopod_redc(isopod_word_multiply(a, b), prime);
}

/* The canonical residue of -q < value < q. */
static inline isopod_residue isopod_canonical(isopod_word value, const isopod_word_prime *prime) {
    //@ split value < 0;
    return (isopod_residue)value + (prime->modulus & isopod_word_negative(value));
}

/* The residue of -q < value < q in (-q/2, q/2]. Public. */
static inline isopod_word isopod_centred(isopod_word value, const isopod_word_prime *prime) {
    isopod_word modulus = (isopod_word)prime->modulus, half = modulus / 2;
    value = value > half ? value - modulus : value;
    return value < -half ? value + modulus : value;
}

/* R mod q, centred: |result| <= q/2. Public. */
static inline isopod_word isopod_montgomery_one(const isopod_word_prime *prime) {
#if ISOPOD_WORD_BITS == 32
    uint32_t one = (0u - prime->modulus) % prime->modulus;
    return one > prime->modulus / 2 ? (int32_t)(one - prime->modulus) : (int32_t)one;
#else
    return isopod_centred(isopod_montgomery(1, (int64_t)prime->montgomery_square, prime), prime);
#endif
}

#endif
