/* Slot values as 32-bit fixed-point words, eight at a time, by integer operations (values.h).
 * Magnitudes are at most 2^30 once scaled, and fraction_bits is at most 70. So a value with a zero
 * exponent field is far below one half. */
#ifndef ISOPOD_X86_FIXED_VALUES_H
#define ISOPOD_X86_FIXED_VALUES_H

#include "../../../encode/values.h"
#include "../base/avx2.h"

/* 24 bits of magnitude are moved up 7 and then down; counts of 32 and more give zero. */
ISOPOD_AVX2_INLINE __m256i isopod_fixed_float32(__m256i bits, int32_t fraction_bits) {
    const __m256i hidden = _mm256_set1_epi32(0x800000), fraction = _mm256_set1_epi32(0x7fffff);
    __m256i biased = _mm256_srli_epi32(_mm256_slli_epi32(bits, 1), 24);
    __m256i magnitude = _mm256_or_si256(_mm256_and_si256(bits, fraction), hidden);
    __m256i right = _mm256_sub_epi32(_mm256_set1_epi32(157 - fraction_bits), biased);
    __m256i half = _mm256_srli_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), right), 1);
    __m256i scaled = _mm256_add_epi32(_mm256_slli_epi32(magnitude, 7), half);
    return _mm256_sign_epi32(_mm256_srlv_epi32(scaled, right), bits);
}

/* Converts four values to the lower words of four pairs. */
ISOPOD_AVX2_INLINE __m256i isopod_fixed_four(__m256i bits, int32_t fraction_bits) {
    const __m256i hidden = _mm256_set1_epi64x((int64_t)1 << 52);
    const __m256i fraction = _mm256_set1_epi64x(((int64_t)1 << 52) - 1);
    __m256i biased = _mm256_srli_epi64(_mm256_slli_epi64(bits, 1), 53);
    __m256i magnitude = _mm256_or_si256(_mm256_and_si256(bits, fraction), hidden);
    __m256i right = _mm256_sub_epi64(_mm256_set1_epi64x(1075 - fraction_bits), biased);
    __m256i half = _mm256_srli_epi64(_mm256_sllv_epi64(_mm256_set1_epi64x(1), right), 1);
    __m256i scaled = _mm256_srlv_epi64(_mm256_add_epi64(magnitude, half), right);
    return _mm256_sign_epi32(scaled, isopod_odd(bits));
}

ISOPOD_AVX2_INLINE __m256i isopod_fixed_float64(const uint64_t *at, int32_t fraction_bits) {
    __m256 low = _mm256_castsi256_ps(isopod_fixed_four(isopod_load(at), fraction_bits));
    __m256 high = _mm256_castsi256_ps(isopod_fixed_four(isopod_load(at + 4), fraction_bits));
    __m256i words = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
    return _mm256_permute4x64_epi64(words, 0xd8);
}

/* Converts eight values at `at`. */
ISOPOD_AVX2_INLINE __m256i isopod_fixed_eight(const void *at, isopod_value_type type,
                                              int32_t fraction_bits) {
    if (type == ISOPOD_VALUES_FLOAT32) {
        return isopod_fixed_float32(isopod_load(at), fraction_bits);
    }
    if (type == ISOPOD_VALUES_FLOAT64) {
        return isopod_fixed_float64(at, fraction_bits);
    }
    return _mm256_sll_epi32(isopod_load(at), _mm_cvtsi32_si128(fraction_bits));
}

#endif
