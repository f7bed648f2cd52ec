/* The negacyclic NTT in chunks (spec/ckks.md, section 5): natural order in, bit-reversed order out.
 */
#ifndef ISOPOD_NTT_H
#define ISOPOD_NTT_H

#include "isopod/tables.h"
#include <stddef.h>

#include "../base/word.h"

/* Chunk number `chunk` of `chunks` of the transform's output. */
typedef struct {
    const isopod_word_prime *prime;
    const isopod_word
        *twiddles; /* signed powers of psi in Montgomery form: n, or the first of them */
    const isopod_word *backend; /* the backend's own table of the prime, or NULL */
    uint32_t length;            /* n / chunks */
    uint8_t chunks;
    uint8_t chunk;
    const isopod_word *coarse; /* of lean tables, otherwise NULL */
} isopod_ntt;

/* The whole transform of prime number `prime`. */
static inline isopod_ntt isopod_ntt_of(const isopod_params *params, const isopod_tables *tables,
                                       uint8_t prime) {
    isopod_ntt ntt = {
        .prime = isopod_word_prime_of(params, prime),
#if ISOPOD_WORD_BITS == 32
        .twiddles = tables->twiddles[prime],
        .backend = tables->backend != NULL ? tables->backend[prime] : NULL,
        .coarse = tables->coarse != NULL ? tables->coarse[prime] : NULL,
#else
        .twiddles = tables->twiddles64[prime],
        .backend = tables->backend64 != NULL ? tables->backend64[prime] : NULL,
        .coarse = NULL,
#endif
        .length = UINT32_C(1) << params->log2_ring_degree,
        .chunks = 1,
        .chunk = 0
    };
    return ntt;
}

/* Whether these tables belong to the set and this build's backend can read them. */
uint32_t isopod_tables_fit(const isopod_tables *tables, const isopod_params *params);

/* Coefficients per call where the first layers fold `chunks` parts of a polynomial into one. */
#define ISOPOD_FOLD_BLOCK 16u

/* An output of the first log2(chunks) layers is a sum over the parts of a polynomial. Each part has
 * a weight, the product of its twiddles: out += weight * part modulo the prime, weight in
 * Montgomery form and |weight| <= q/2. In |out|, |part| < R/2, out |out| < R/2. */
void isopod_ntt_fold(isopod_word out[ISOPOD_FOLD_BLOCK], const isopod_word part[ISOPOD_FOLD_BLOCK],
                     isopod_word weight, const isopod_word_prime *prime);

/* The remaining layers, in place. In |x| < R/2, of 64-bit words |x| <= 2^62; out |x| < 2q. */
void isopod_ntt_layers(isopod_word *x, const isopod_ntt *ntt);
uint32_t isopod_native_ntt_layers(isopod_word *x, const isopod_ntt *ntt);

#endif
