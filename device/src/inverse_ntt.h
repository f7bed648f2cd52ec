/* The inverse of the negacyclic NTT of ntt.h: bit-reversed order in, natural order out. */
#ifndef ISOPOD_INVERSE_NTT_H
#define ISOPOD_INVERSE_NTT_H

#include "montgomery.h"
#include "ntt.h"
#include "twiddle.h"

/* n^-1 in Montgomery form, the factor of the plain inverse: 2^32 / n mod q, |result| <= q/2.
 * Public.
 */
static inline int32_t isopod_inverse_ntt_factor(const isopod_ntt *ntt) {
    uint32_t power = (uint32_t)(((uint64_t)1 << 32) / ntt->length) % ntt->prime->modulus;
    return isopod_centred((int32_t)power, ntt->prime);
}

/* In place, the whole transform (ntt->chunks is 1), for any prime q < 2^30 that is 1 modulo 2n: x
 * becomes factor * 2^-32 * n times the inverse transform. |factor| <= q/2. In |x| <= q; out
 * |x| < q. */
void isopod_inverse_ntt(int32_t *x, const isopod_ntt *ntt, int32_t factor);

#endif
