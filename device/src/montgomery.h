/* Signed Montgomery and Barrett arithmetic modulo q < 2^30, straight-line. */
#ifndef ISOPOD_MONTGOMERY_H
#define ISOPOD_MONTGOMERY_H

#include <stdint.h>

#include "constant_time.h"
#include "isopod/params.h"

/* product * 2^-32 mod q, |result| <= |product| / 2^32 + q/2. The low words of product and multiple
 * * q are equal, so the difference of the high words is exact. */
static inline int32_t isopod_redc(int64_t product, const isopod_prime *prime) {
    int32_t multiple = (int32_t)((uint32_t)product * (0u - prime->negative_inverse));
    int64_t cancelled = (int64_t)multiple * (int32_t)prime->modulus;
    return (int32_t)(product >> 32) - (int32_t)(cancelled >> 32);
}

static inline int32_t isopod_montgomery(int32_t a, int32_t b, const isopod_prime *prime) {
    return isopod_redc((int64_t)a * b, prime);
}

/* value mod q with |result| <= q/2 + 2^31 * |2^32/q - barrett| / 2^32 * q, which is below 0.75 q
 * for every q < 2^30. */
static inline int32_t isopod_reduce(int32_t value, const isopod_prime *prime) {
    int32_t quotient = (int32_t)(((int64_t)value * (int32_t)prime->barrett + 0x80000000) >> 32);
    return value - quotient * (int32_t)prime->modulus;
}

/* -q < value < q to 0..q-1 */
static inline uint32_t isopod_canonical(int32_t value, const isopod_prime *prime) {
    return (uint32_t)value + (prime->modulus & isopod_ct_negative(value));
}

/* 2^32 mod q, centred: |result| <= q/2. Public. */
static inline int32_t isopod_montgomery_one(const isopod_prime *prime) {
    uint32_t one = (0u - prime->modulus) % prime->modulus;
    return one > prime->modulus / 2 ? (int32_t)(one - prime->modulus) : (int32_t)one;
}

#endif
