/* The inverse NTT modulo a 32-bit prime (ring/inverse_ntt.h) for AVX2, up to three layers at a
 * time. Bounds, q < 2^30, |w| <= q/2, |x| <= q: a sum within 2q has q taken towards zero, a product
 * of a difference is within q * q / 2^32 + q/2 <= 3q/4. The multiplier of block g of m is minus the
 * forward twiddle of block m-1-g, so differences are taken the other way round. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/inverse_ntt.h"

#include "../../../base/memory.h"
#include "vector_prime.h"

#define LANES 8u

ISOPOD_AVX2_INLINE __m256i sum_of(__m256i x0, __m256i x1, const isopod_vector_prime *prime) {
    __m256i sum = _mm256_add_epi32(x0, x1);
    return _mm256_sub_epi32(sum, _mm256_sign_epi32(prime->modulus, sum));
}

ISOPOD_AVX2_INLINE void cross(__m256i *x0, __m256i *x1, const isopod_vector_factor *by,
                              const isopod_vector_prime *prime) {
    __m256i difference = _mm256_sub_epi32(*x1, *x0);
    *x0 = sum_of(*x0, *x1, prime);
    *x1 = isopod_vector_multiply_by(difference, by, prime);
}

/* The butterfly with a factor for each word. */
ISOPOD_AVX2_INLINE void cross_each(__m256i *x0, __m256i *x1, __m256i factors,
                                   const isopod_vector_prime *prime) {
    __m256i difference = _mm256_sub_epi32(*x1, *x0);
    *x0 = sum_of(*x0, *x1, prime);
    *x1 = isopod_vector_multiply(difference, factors, isopod_odd(factors), prime);
}

/* Factors of the first three layers of rows row .. row+7 of eight values, which are the words of a
 * vector: of the four blocks of two, the two blocks of four, and the row. */
typedef struct {
    __m256i twos[4], fours[2], eights;
} row_factors;

ISOPOD_AVX2_INLINE row_factors row_factors_of(const isopod_ntt *ntt, uint32_t row) {
    const int32_t *twos = ntt->twiddles + ntt->length - 4 * (size_t)(row + LANES);
    const int32_t *fours = ntt->twiddles + ntt->length / 2 - 2 * (size_t)(row + LANES);
    const int32_t *eights = ntt->twiddles + ntt->length / 4 - (row + LANES);
    const __m256i by_two = _mm256_setr_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    const __m256i by_four = _mm256_setr_epi32(7, 5, 3, 1, 6, 4, 2, 0);
    const __m256i by_eight = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    row_factors of;
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        of.twos[i] = _mm256_permutevar8x32_epi32(isopod_load(twos + 8 * (3 - i)), by_two);
    }
    isopod_transpose_pairs(of.twos);
    __m256i first = _mm256_permutevar8x32_epi32(isopod_load(fours + 8), by_four);
    __m256i second = _mm256_permutevar8x32_epi32(isopod_load(fours), by_four);
    of.fours[0] = _mm256_permute2x128_si256(first, second, 0x20);
    of.fours[1] = _mm256_permute2x128_si256(first, second, 0x31);
    of.eights = _mm256_permutevar8x32_epi32(isopod_load(eights), by_eight);
    return of;
}

/* Three layers of eight rows, whose columns become vectors. */
ISOPOD_AVX2_INLINE void first_rows(int32_t *x, const row_factors *by,
                                   const isopod_vector_prime *prime) {
    __m256i v[LANES];
#pragma GCC unroll 16
    for (unsigned i = 0; i < LANES; i++) {
        v[i] = isopod_load(x + LANES * i);
    }
    isopod_transpose(v);
#pragma GCC unroll 16
    for (unsigned g = 0; g < 4; g++) {
        cross_each(&v[2 * g], &v[2 * g + 1], by->twos[g], prime);
    }
#pragma GCC unroll 16
    for (unsigned g = 0; g < 2; g++) {
        cross_each(&v[4 * g], &v[4 * g + 2], by->fours[g], prime);
        cross_each(&v[4 * g + 1], &v[4 * g + 3], by->fours[g], prime);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        cross_each(&v[i], &v[i + 4], by->eights, prime);
    }
    isopod_transpose(v);
#pragma GCC unroll 16
    for (unsigned i = 0; i < LANES; i++) {
        isopod_store(x + LANES * i, v[i]);
    }
}

ISOPOD_AVX2_APART void first_layers(int32_t *x, const isopod_ntt *ntt) {
    const isopod_vector_prime prime = isopod_vector_products_of(ntt->prime);
    for (uint32_t row = 0; row < ntt->length / LANES; row += LANES) {
        const row_factors by = row_factors_of(ntt, row);
        first_rows(x + (size_t)LANES * row, &by, &prime);
    }
}

ISOPOD_AVX2_INLINE isopod_vector_factor block_factor(const isopod_ntt *ntt, uint32_t blocks,
                                                     uint32_t block,
                                                     const isopod_vector_prime *prime) {
    return isopod_vector_factor_of(ntt->twiddles[2 * blocks - 1 - block], prime);
}

/* One layer: blocks of 2*half values. */
ISOPOD_AVX2_APART void one_layer(int32_t *x, const isopod_ntt *ntt, uint32_t half) {
    const isopod_vector_prime prime = isopod_vector_products_of(ntt->prime);
    const uint32_t blocks = ntt->length / 2 / half;
    for (uint32_t g = 0; g < blocks; g++, x += 2 * (size_t)half) {
        const isopod_vector_factor by = block_factor(ntt, blocks, g, &prime);
        for (uint32_t i = 0; i < half; i += LANES) {
            __m256i x0 = isopod_load(x + i), x1 = isopod_load(x + half + i);
            cross(&x0, &x1, &by, &prime);
            isopod_store(x + i, x0);
            isopod_store(x + half + i, x1);
        }
    }
}

/* The inner layer of two, of the quarters of a block. */
ISOPOD_AVX2_INLINE void load_quarters(__m256i v[4], const int32_t *x, uint32_t quarter,
                                      const isopod_vector_factor by[2],
                                      const isopod_vector_prime *prime) {
#pragma GCC unroll 16
    for (unsigned part = 0; part < 4; part++) {
        v[part] = isopod_load(x + part * quarter);
    }
    cross(&v[0], &v[1], &by[0], prime);
    cross(&v[2], &v[3], &by[1], prime);
}

/* Two layers: blocks of 4*quarter values. */
ISOPOD_AVX2_APART void two_layers(int32_t *x, const isopod_ntt *ntt, uint32_t quarter) {
    const isopod_vector_prime prime = isopod_vector_products_of(ntt->prime);
    const uint32_t blocks = ntt->length / 4 / quarter;
    for (uint32_t g = 0; g < blocks; g++, x += 4 * (size_t)quarter) {
        const isopod_vector_factor outer = block_factor(ntt, blocks, g, &prime);
        const isopod_vector_factor inner[2] = {block_factor(ntt, 2 * blocks, 2 * g, &prime),
                                               block_factor(ntt, 2 * blocks, 2 * g + 1, &prime)};
        for (uint32_t i = 0; i < quarter; i += LANES) {
            __m256i v[4];
            load_quarters(v, x + i, quarter, inner, &prime);
            cross(&v[0], &v[2], &outer, &prime);
            cross(&v[1], &v[3], &outer, &prime);
#pragma GCC unroll 16
            for (unsigned part = 0; part < 4; part++) {
                isopod_store(x + part * quarter + i, v[part]);
            }
        }
    }
}

/* The last two layers, the outer one with the factor of all outputs: it multiplies sums, and with
 * the twiddle differences. */
ISOPOD_AVX2_APART void last_layers(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    const isopod_vector_prime prime = isopod_vector_products_of(ntt->prime);
    const uint32_t quarter = ntt->length / 4;
    const isopod_vector_factor inner[2] = {block_factor(ntt, 2, 0, &prime),
                                           block_factor(ntt, 2, 1, &prime)};
    const isopod_vector_factor sum = isopod_vector_factor_of(factor, &prime);
    const int32_t twiddled =
        isopod_centred(isopod_montgomery(factor, ntt->twiddles[1], ntt->prime), ntt->prime);
    const isopod_vector_factor difference = isopod_vector_factor_of(twiddled, &prime);
    for (uint32_t i = 0; i < quarter; i += LANES) {
        __m256i v[4];
        load_quarters(v, x + i, quarter, inner, &prime);
#pragma GCC unroll 16
        for (unsigned part = 0; part < 2; part++) {
            __m256i low = v[part], high = v[part + 2];
            v[part] = isopod_vector_multiply_by(_mm256_add_epi32(low, high), &sum, &prime);
            v[part + 2] =
                isopod_vector_multiply_by(_mm256_sub_epi32(high, low), &difference, &prime);
        }
#pragma GCC unroll 16
        for (unsigned part = 0; part < 4; part++) {
            isopod_store(x + part * quarter + i, v[part]);
        }
    }
}

static ISOPOD_AVX2 void inverse(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    uint32_t half = LANES;
    first_layers(x, ntt);
    if ((__builtin_ctz(ntt->length) & 1) == 0) { /* three before, two behind, pairs between */
        one_layer(x, ntt, half);
        half *= 2;
    }
    for (; 4 * half < ntt->length; half *= 4) {
        two_layers(x, ntt, half);
    }
    last_layers(x, ntt, factor);
}

uint32_t isopod_native_inverse_ntt(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    if (!isopod_has_avx2() || ntt->coarse != NULL || ntt->length < LANES * LANES) {
        return 0;
    }
    inverse(x, ntt, factor);
    isopod_wipe_stack();
    return 1;
}

#endif
