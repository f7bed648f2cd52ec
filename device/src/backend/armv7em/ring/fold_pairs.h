/* The first layers of the NTT of one of several chunks, for any degree. */
#ifndef ISOPOD_ARMV7EM_FOLD_PAIRS_H
#define ISOPOD_ARMV7EM_FOLD_PAIRS_H

#include "../../../ring/polynomial.h"

/* isopod_polynomial_fold for ntt->chunks > 1 and the loads of polynomial.h: |out| < 2^31, and below
 * 1.9 q for primes of up to 27 bits. */
void isopod_fold_pairs(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt);

/* Coefficients j and j + n/2, and whether their products are added to what is there. */
typedef struct {
    const isopod_prime *prime;
    int32_t low;   /* weight of coefficient j */
    int32_t high;  /* weight of coefficient j + n/2 */
    uint32_t half; /* n/2 */
    uint32_t accumulates;
} isopod_pair;

/* Kernels of Helium: `count` outputs from packed words that go up, or down, with the errors of the
 * low coefficients. */
void isopod_pairs_up(int32_t *out, const int32_t *words, const int8_t *error, uint32_t count,
                     const isopod_pair *by);
void isopod_pairs_down(int32_t *out, const int32_t *words, const int8_t *error, uint32_t count,
                       const isopod_pair *by);

/* Outputs from coefficient j of errors, and of a ternary polynomial, whose weights are not in
 * Montgomery form; count is a multiple of 16. */
void isopod_pairs_error(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                        uint32_t count, const isopod_pair *by);
void isopod_pairs_ternary(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                          uint32_t count, const isopod_pair *by);

#endif
