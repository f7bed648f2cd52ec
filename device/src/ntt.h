/* The negacyclic NTT in chunks (spec/ckks.md, section 5): natural order in, bit-reversed order out.
 */
#ifndef ISOPOD_NTT_H
#define ISOPOD_NTT_H

#include <stdint.h>

#include "isopod/tables.h"

/* Chunk number `chunk` of `chunks` of the transform's output. */
typedef struct {
    const isopod_prime *prime;
    const int32_t *twiddles; /* n signed Montgomery-form powers of psi, or the first of them */
    const int32_t *backend;  /* the backend's own table of the prime, or NULL */
    uint32_t length;         /* n / chunks */
    uint8_t chunks;
    uint8_t chunk;
    const int32_t *coarse; /* of lean tables, otherwise NULL */
} isopod_ntt;

/* The whole transform of prime number `prime`. */
static inline isopod_ntt isopod_ntt_of(const isopod_ckks_params *params,
                                       const isopod_ckks_tables *tables, uint8_t prime) {
    isopod_ntt ntt = {.prime = &params->primes[prime],
                      .twiddles = tables->twiddles[prime],
                      .backend = tables->backend != NULL ? tables->backend[prime] : NULL,
                      .length = 1u << params->log2_ring_degree,
                      .chunks = 1,
                      .chunk = 0,
                      .coarse = tables->coarse != NULL ? tables->coarse[prime] : NULL};
    return ntt;
}

/* Coefficients taken together where the first layers fold `chunks` parts of a polynomial into one.
 */
#define ISOPOD_FOLD_BLOCK 16u

/* The first log2(chunks) layers for ISOPOD_FOLD_BLOCK positions: parts[p][i] is coefficient first +
 * i of part p, |x| < 2^31; the outputs of this chunk replace parts[0]. Bound: |out| < 2^31. */
void isopod_ntt_fold(int32_t parts[][ISOPOD_FOLD_BLOCK], const isopod_ntt *ntt);

/* The remaining layers, in place. In |x| < 2^31; out |x| < 2q. */
void isopod_ntt_layers(int32_t *x, const isopod_ntt *ntt);

#endif
