/* The first pass of the NTT of a polynomial of degree 4096, whose coefficients are read where they
 * are (polynomial_first.S). */
#ifndef ISOPOD_ARMV7EM_POLYNOMIAL_FIRST_H
#define ISOPOD_ARMV7EM_POLYNOMIAL_FIRST_H

#include <stdint.h>

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

#endif
