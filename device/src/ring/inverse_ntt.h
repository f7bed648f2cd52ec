/* The inverse of the negacyclic NTT of ntt.h: bit-reversed order in, natural order out. */
#ifndef ISOPOD_INVERSE_NTT_H
#define ISOPOD_INVERSE_NTT_H

#include "montgomery.h"
#include "ntt.h"
#include "twiddle.h"

/* The factor of the plain inverse, n^-1 in Montgomery form: R / n mod q, |result| <= q/2.
 * Public. */
static inline isopod_word isopod_inverse_ntt_factor(const isopod_ntt *ntt) {
#if ISOPOD_WORD_BITS == 32
    uint32_t power = (uint32_t)(((uint64_t)1 << 32) / ntt->length) % ntt->prime->modulus;
    return isopod_centred((int32_t)power, ntt->prime);
#else
    uint32_t log2_length = 0;
    while (ntt->length >> log2_length > 1) {
        log2_length++;
    }
    int64_t power = isopod_montgomery((int64_t)((uint64_t)1 << (64u - log2_length)),
                                      isopod_montgomery_one(ntt->prime), ntt->prime);
    return isopod_centred(power, ntt->prime);
#endif
}

/* Transforms in place; ntt->chunks is 1 and q < R/4 any prime that is 1 modulo 2n: x becomes factor
 * / R * n times the inverse transform. |factor| <= q/2. In |x| <= q; out |x| < q. */
void isopod_inverse_ntt(isopod_word *x, const isopod_ntt *ntt, isopod_word factor);
uint32_t isopod_native_inverse_ntt(isopod_word *x, const isopod_ntt *ntt, isopod_word factor);

#endif
