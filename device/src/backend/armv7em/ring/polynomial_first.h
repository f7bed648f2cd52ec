/* The first pass of the NTT of a polynomial of degree 4096, whose coefficients are read where they
 * are (polynomial_first.S). */
#ifndef ISOPOD_ARMV7EM_POLYNOMIAL_FIRST_H
#define ISOPOD_ARMV7EM_POLYNOMIAL_FIRST_H

#include <stdint.h>

#include "../../../base/word.h"

/* Arguments of polynomial_first.S, in its order. twiddles: w1, w2, w1*w2, w3, -w1*w3. */
typedef struct {
    const int32_t *up;   /* message words 2k, 2k+1 of the first k */
    const int32_t *down; /* message words 2(M-k), 2(M-k)+1 */
    const int8_t *error;
    uint32_t modulus;
    uint32_t negative_inverse;
    uint32_t barrett;
    int32_t twiddles[5];
} isopod_first;

typedef void isopod_first_function(int32_t *out, const isopod_first *from);
isopod_first_function isopod_first_message, isopod_first_error, isopod_fold_message,
    isopod_fold_error;

/* Kernels of Helium: the same of a ternary polynomial, value + 1 in two bits, and of integers of
 * BFV that hold their noise. w: w1, w2, w1*w2, w3, -w1*w3, each times the factor, and the factor.
 */
void isopod_first_ternary(int32_t *out, const uint32_t *words, const int32_t w[6]);
void isopod_fold_ternary(int32_t *out, const uint32_t *words, const int32_t w[6]);
void isopod_first_integers(int32_t *out, const int32_t *words, const int32_t w[6],
                           const isopod_prime *prime);
void isopod_fold_integers(int32_t *out, const int32_t *words, const int32_t w[6],
                          const isopod_prime *prime);

#endif
