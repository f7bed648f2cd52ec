/* Montgomery arithmetic of the NTT ([SEILER18]) by the high and low halves of products that RV32M
 * computes, not by 64-bit products. A multiplication by a root is mul, mulh, mulh, sub.
 *
 * A table of second words is not needed: v = w * q^-1 mod 2^32 is one mul, where it would be one
 * load. Shoup's variant has one mulh (5 cycles on CV32E40P) instead of two, at the same number of
 * instructions, but needs a table of its own, or two mulh per root, and doubles the bounds below.
 *
 * Bounds, |x| < 2^31 everywhere, |w| <= q/2: |isopod_times| <= |x*w| / 2^32 + q/2 <= 3q/4.
 * isopod_floor_reduce gives -q/4 .. 5q/4. Primes of up to 27 bits, q <= 2^27, are reduced so in the
 * first pass and then no more: after l layers |x| <= (5/4 + 3l/4) q, which is 12.5 q < 2^31 for l =
 * 15. */
#ifndef ISOPOD_RV32IM_BUTTERFLY_H
#define ISOPOD_RV32IM_BUTTERFLY_H

#include <stddef.h>

#include <stdint.h>

#include "../../base/constant_time.h"
#include "../../ring/montgomery.h"

#define ISOPOD_INLINE static inline __attribute__((always_inline))
#define ISOPOD_PRIME27_MODULUS ((uint32_t)1 << 27)

typedef struct {
    int32_t w; /* Montgomery form, centred */
    int32_t v; /* w * q^-1 mod 2^32 */
} isopod_root;

static inline int32_t isopod_high(int32_t a, int32_t b) {
    return (int32_t)(((int64_t)a * b) >> 32);
}

/* q^-1 mod 2^32; behind the barrier, as compilers move the negation into the products. */
static inline uint32_t isopod_inverse(const isopod_prime *prime) {
    return isopod_ct_barrier(0u - prime->negative_inverse);
}

static inline isopod_root isopod_root_of(int32_t w, const isopod_prime *prime) {
    isopod_root root = {w, (int32_t)((uint32_t)w * isopod_inverse(prime))};
    return root;
}

static inline int32_t isopod_times(int32_t x, isopod_root root, int32_t q) {
    int32_t multiple = (int32_t)((uint32_t)x * (uint32_t)root.v);
    return isopod_high(x, root.w) - isopod_high(multiple, q);
}

static inline int32_t isopod_floor_reduce(int32_t x, const isopod_prime *prime) {
    return x - isopod_high(x, (int32_t)prime->barrett) * (int32_t)prime->modulus;
}

/* isopod_reduce by halves. */
static inline int32_t isopod_centred_reduce(int32_t x, const isopod_prime *prime) {
    uint32_t low = (uint32_t)x * prime->barrett;
    int32_t quotient = isopod_high(x, (int32_t)prime->barrett) + (int32_t)(low >> 31);
    return x - quotient * (int32_t)prime->modulus;
}

/* Reduction of the two inputs of a butterfly that no root multiplies. */
typedef enum { ISOPOD_AS_IS, ISOPOD_FLOOR, ISOPOD_CENTRED } isopod_reduction;

ISOPOD_INLINE int32_t isopod_reduced(int32_t x, const isopod_prime *prime,
                                     isopod_reduction reduction) {
    return reduction == ISOPOD_AS_IS   ? x
           : reduction == ISOPOD_FLOOR ? isopod_floor_reduce(x, prime)
                                       : isopod_centred_reduce(x, prime);
}

/* The three roots of two layers: w[0] of the first, w[1] and w[2] of the second. */
typedef struct {
    isopod_root w[3];
} isopod_roots;

static inline isopod_roots isopod_roots_at(const int32_t *twiddles, uint32_t at,
                                           const isopod_prime *prime) {
    const int32_t *second = twiddles + (size_t)2 * at;
    isopod_roots roots = {{isopod_root_of(twiddles[at], prime), isopod_root_of(second[0], prime),
                           isopod_root_of(second[1], prime)}};
    return roots;
}

/* Two layers on four values, in place. */
ISOPOD_INLINE void isopod_butterfly(int32_t x[4], const isopod_roots *roots,
                                    const isopod_prime *prime, isopod_reduction reduction) {
    int32_t q = (int32_t)prime->modulus;
    int32_t x2 = isopod_times(x[2], roots->w[0], q), x3 = isopod_times(x[3], roots->w[0], q);
    int32_t x0 = isopod_reduced(x[0], prime, reduction),
            x1 = isopod_reduced(x[1], prime, reduction);
    int32_t b1 = isopod_times(x1 + x3, roots->w[1], q), b3 = isopod_times(x1 - x3, roots->w[2], q);
    x[0] = x0 + x2 + b1;
    x[1] = x0 + x2 - b1;
    x[2] = x0 - x2 + b3;
    x[3] = x0 - x2 - b3;
}

#endif
