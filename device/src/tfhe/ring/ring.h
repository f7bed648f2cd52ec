/* Exact products modulo X^N + 1 and 2^32 or 2^64 by one prime (spec/tfhe.md, section 5). */
#ifndef ISOPOD_RING_H
#define ISOPOD_RING_H

#include "isopod/tfhe_params.h"
#include "../../ring/ntt.h"

/* A polynomial with coefficients 0, 1 (one bit each) or -1, 0, 1 (two bits, value + 1), least
 * significant first. */
typedef struct {
    const uint32_t *symbols;
    uint8_t kind; /* isopod_secret_kind */
} isopod_small;

/* The whole transform of a set. */
static inline isopod_ntt isopod_ring_ntt(const isopod_tfhe_params *params,
                                         const int32_t *twiddles) {
    isopod_ntt ntt = {.prime = params->prime,
                      .twiddles = twiddles,
                      .length = UINT32_C(1) << params->log2_ring_degree,
                      .chunks = 1};
    return ntt;
}

/* NTT(small) / N in Montgomery form, canonical. */
void isopod_ring_transform(uint32_t *out, const isopod_small *small, const isopod_ntt *ntt);

/* x := x * s over the integers, for |x| <= 2^15. */
void isopod_ring_multiply(int32_t *x, const uint32_t *transformed, const isopod_ntt *ntt);

/* words := words * s, where transformed is isopod_ring_transform of s. scratch: N words, which keep
 * secrets. The 64-bit words are pairs of halves, the lower one first. */
void isopod_ring_product32(uint32_t *words, const uint32_t *transformed, int32_t *scratch,
                           const isopod_ntt *ntt);
void isopod_ring_product64(uint32_t *words, const uint32_t *transformed, int32_t *scratch,
                           const isopod_ntt *ntt);

/* Prepares a factor in the form that is fastest on this machine: 16 N bytes, 8-byte aligned. */
void isopod_ring_prepare(void *memory, const isopod_small *small, const isopod_ntt *ntt);

typedef struct {
    isopod_ntt ntt;
    uint8_t log2_modulus;
} isopod_ring;

/* words := words * s, where memory was made by isopod_ring_prepare of s. scratch as above. */
void isopod_ring_product_prepared(void *words, const void *memory, int32_t *scratch,
                                  const isopod_ring *ring);

uint32_t isopod_native_ring_prepare(void *memory, const isopod_small *small, const isopod_ntt *ntt);
uint32_t isopod_native_ring_product_prepared(void *words, const void *memory,
                                             const isopod_ring *ring);

/* words := words * s for a few products by one factor. The first call transforms `small` to memory:
 * 8 N bytes, 8-byte aligned; its symbols may lie at the beginning. Later calls pass NULL. */
uint32_t isopod_native_ring_product_held(void *words, void *memory, const isopod_small *small,
                                         const isopod_ring *ring);

/* The sums of a negacyclic product to which a piece of mask is added. */
typedef struct {
    const isopod_small *small;
    uint32_t n;
    uint32_t first; /* the piece is mask coefficients first, first + 1, ...: 64 bytes of them */
    uint32_t count; /* sums 0 .. count-1 */
} isopod_ring_place;

/* sums[i] += the terms of (mask * small)_i of this piece. */
void isopod_ring_accumulate32(uint32_t *sums, const uint32_t mask[16],
                              const isopod_ring_place *place);
void isopod_ring_accumulate64(uint64_t *sums, const uint64_t mask[8],
                              const isopod_ring_place *place);

#endif
