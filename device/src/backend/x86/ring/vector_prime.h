/* Montgomery and Barrett arithmetic modulo q < 2^30 on eight words at once; bounds as in
 * montgomery.h. */
#ifndef ISOPOD_X86_VECTOR_PRIME_H
#define ISOPOD_X86_VECTOR_PRIME_H

#include "../../../ring/montgomery.h"
#include "../base/avx2.h"

/* fraction = round(2^(31 + precision) / q) in the upper half of every word; half and shift round a
 * quotient of `precision` fraction bits that lies in the upper half, precision = bit length of q
 * - 18. */
typedef struct {
    __m256i modulus;
    __m256i inverse; /* 1/q mod 2^32 */
    __m256i fraction;
    __m256i half;
    __m128i shift;
} isopod_vector_prime;

/* Only the constants of products, not those of rounding a quotient: for primes whose bit length is
 * not recorded, such as a plaintext modulus. */
ISOPOD_AVX2_INLINE isopod_vector_prime isopod_vector_products_of(const isopod_prime *prime) {
    isopod_vector_prime vector = {_mm256_set1_epi32((int)prime->modulus),
                                  _mm256_set1_epi32((int)(0u - prime->negative_inverse)),
                                  _mm256_setzero_si256(), _mm256_setzero_si256(),
                                  _mm_setzero_si128()};
    return vector;
}

ISOPOD_AVX2_INLINE isopod_vector_prime isopod_vector_prime_of(const isopod_prime *prime) {
    uint32_t precision = prime->bits - 18u;
    uint32_t fraction =
        (uint32_t)((((uint64_t)1 << (31u + precision)) + prime->modulus / 2u) / prime->modulus);
    isopod_vector_prime vector = isopod_vector_products_of(prime);
    vector.fraction = _mm256_set1_epi32((int)(fraction << 16));
    vector.half = _mm256_set1_epi32((int)(1u << (15u + precision)));
    vector.shift = _mm_cvtsi32_si128((int)(16u + precision));
    return vector;
}

/* Products of even and of odd words, in that order, to redc of both as one vector. */
ISOPOD_AVX2_INLINE __m256i isopod_vector_redc(__m256i even, __m256i odd,
                                              const isopod_vector_prime *prime) {
    __m256i multiple_even = _mm256_mul_epu32(even, prime->inverse);
    __m256i multiple_odd = _mm256_mul_epu32(odd, prime->inverse);
    even = _mm256_sub_epi64(even, _mm256_mul_epi32(multiple_even, prime->modulus));
    odd = _mm256_sub_epi64(odd, _mm256_mul_epi32(multiple_odd, prime->modulus));
    return isopod_high_words(even, odd);
}

/* x * w: the factors of even words in the even words of `even`, those of odd words in the even
 * words of `odd`. */
ISOPOD_AVX2_INLINE __m256i isopod_vector_multiply(__m256i x, __m256i even, __m256i odd,
                                                  const isopod_vector_prime *prime) {
    return isopod_vector_redc(_mm256_mul_epi32(x, even), _mm256_mul_epi32(isopod_odd(x), odd),
                              prime);
}

/* One factor for all words; if it is used often, also the factor times 1/q mod 2^32. */
typedef struct {
    __m256i factor;
    __m256i multiple;
} isopod_vector_factor;

ISOPOD_AVX2_INLINE isopod_vector_factor isopod_vector_factor_of(int32_t factor,
                                                                const isopod_vector_prime *prime) {
    isopod_vector_factor vector;
    vector.factor = _mm256_set1_epi32(factor);
    vector.multiple = _mm256_mullo_epi32(vector.factor, prime->inverse);
    return vector;
}

ISOPOD_AVX2_INLINE __m256i isopod_vector_multiply_by(__m256i x, const isopod_vector_factor *by,
                                                     const isopod_vector_prime *prime) {
    __m256i multiple = _mm256_mullo_epi32(x, by->multiple);
    __m256i even = _mm256_mul_epi32(x, by->factor);
    __m256i odd = _mm256_mul_epi32(isopod_odd(x), by->factor);
    even = _mm256_sub_epi64(even, _mm256_mul_epi32(multiple, prime->modulus));
    odd = _mm256_sub_epi64(odd, _mm256_mul_epi32(isopod_odd(multiple), prime->modulus));
    return isopod_high_words(even, odd);
}

/* |x| < 2^31 to |result| < q/2 + 2^(1 - precision) * q. */
ISOPOD_AVX2_INLINE __m256i isopod_vector_reduce(__m256i x, const isopod_vector_prime *prime) {
    __m256i quotient = _mm256_mulhrs_epi16(x, prime->fraction);
    quotient = _mm256_sra_epi32(_mm256_add_epi32(quotient, prime->half), prime->shift);
    return _mm256_sub_epi32(x, _mm256_mullo_epi32(quotient, prime->modulus));
}

/* The canonical residues of -q < x < q: as unsigned words, the smaller of x and x + q. */
ISOPOD_AVX2_INLINE __m256i isopod_vector_canonical(__m256i x, const isopod_vector_prime *prime) {
    return _mm256_min_epu32(x, _mm256_add_epi32(x, prime->modulus));
}

#endif
