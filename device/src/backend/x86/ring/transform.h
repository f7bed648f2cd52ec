/* The forward transform in two parts: all layers but three on the whole chunk, then three on 32
 * neighbours at a time, which a product continues in registers. */
#ifndef ISOPOD_X86_TRANSFORM_H
#define ISOPOD_X86_TRANSFORM_H

#include "../../../ring/polynomial.h"
#include "vector_prime.h"

/* Moduli below 2^27 need no reduction between layers. isopod_x86_transform_head keeps inputs below
 * 2^30 + 32 (q < 2^26) or 0.51 q (below 2^27). At most 14 layers add 3q/4 each, so values stay
 * below 1.7 * 2^30. */
static inline int isopod_x86_is_lazy(const isopod_prime *prime) {
    return prime->bits <= 27;
}

/* Computes all but the last three layers of this chunk; leaves intermediate values on the stack. */
ISOPOD_AVX2 void isopod_x86_transform_head(int32_t *x, const isopod_polynomial *polynomial,
                                           const isopod_ntt *ntt);

/* The twiddles of blocks of 8, 4 and 2 in the last three layers, from where the chunk begins. */
typedef struct {
    const int32_t *eights;
    const int32_t *fours;
    const int32_t *twos;
} isopod_tail_twiddles;

static inline isopod_tail_twiddles isopod_x86_tail_twiddles(const isopod_ntt *ntt) {
    uint32_t at = ntt->length / 8 * (ntt->chunks + (uint32_t)ntt->chunk);
    isopod_tail_twiddles twiddles = {ntt->twiddles + at, ntt->twiddles + (size_t)2 * at,
                                     ntt->twiddles + (size_t)4 * at};
    return twiddles;
}

/* The two layers before the last of 32 neighbours: pairs of words stay together, and a twiddle
 * applies to a pair. */
ISOPOD_AVX2_INLINE void isopod_x86_tail_layers(__m256i v[4], const int32_t *x,
                                               const isopod_tail_twiddles *twiddles,
                                               const isopod_vector_prime *prime, int lazy) {
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        v[i] = isopod_load(x + 8 * i);
    }
    isopod_transpose_pairs(v);
    __m256i eight = _mm256_cvtepi32_epi64(_mm_loadu_si128((const void *)twiddles->eights));
    __m256i four = isopod_load(twiddles->fours);
    __m256i next_four = isopod_odd(four);
    __m256i x2 = isopod_vector_multiply(v[2], eight, eight, prime);
    __m256i x3 = isopod_vector_multiply(v[3], eight, eight, prime);
    __m256i x0 = lazy ? v[0] : isopod_vector_reduce(v[0], prime);
    __m256i x1 = lazy ? v[1] : isopod_vector_reduce(v[1], prime);
    __m256i b0 = _mm256_add_epi32(x0, x2), b2 = _mm256_sub_epi32(x0, x2);
    __m256i b1 = isopod_vector_multiply(_mm256_add_epi32(x1, x3), four, four, prime);
    __m256i b3 = isopod_vector_multiply(_mm256_sub_epi32(x1, x3), next_four, next_four, prime);
    v[0] = _mm256_add_epi32(b0, b1);
    v[1] = _mm256_sub_epi32(b0, b1);
    v[2] = _mm256_add_epi32(b2, b3);
    v[3] = _mm256_sub_epi32(b2, b3);
    isopod_transpose_pairs(v);
}

/* The last layer of eight neighbours as products yet to be reduced: even = R*x0 + w*x1, odd = R*x0
 * - w*x1 for every pair, R = 2^32 mod q. */
typedef struct {
    __m256i even;
    __m256i odd;
} isopod_products;

ISOPOD_AVX2_INLINE isopod_products isopod_x86_last_layer(__m256i x, const int32_t *twos,
                                                         __m256i one) {
    __m256i twiddle = _mm256_cvtepi32_epi64(_mm_loadu_si128((const void *)twos));
    __m256i low = _mm256_mul_epi32(x, one), high = _mm256_mul_epi32(isopod_odd(x), twiddle);
    isopod_products products = {_mm256_add_epi64(low, high), _mm256_sub_epi64(low, high)};
    return products;
}

#endif
