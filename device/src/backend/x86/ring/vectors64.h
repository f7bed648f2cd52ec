/* 64-bit lanes for the kernels of 64-bit primes: eight of AVX-512, four of AVX2. Both have 32-bit
 * products only; AVX-512DQ also the low half of 64-bit ones. Representatives are unsigned. */
#ifndef ISOPOD_X86_VECTORS64_H
#define ISOPOD_X86_VECTORS64_H

#include "../base/avx2.h"

#define ISOPOD_AVX512 __attribute__((target("avx512f,avx512dq")))
#define ISOPOD_AVX512_INLINE                                                                       \
    static inline __attribute__((always_inline, target("avx512f,avx512dq")))

static inline int isopod_has_avx512(void) {
#if defined(ISOPOD_WITHOUT_AVX2) || defined(ISOPOD_WITHOUT_AVX512)
    return 0;
#else
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#endif
}

/* A factor w < q of many products, with its quotient floor(w * 2^64 / q). */
typedef struct {
    __m512i word, quotient, quotient_high;
} isopod_factor512;

typedef struct {
    __m256i word, word_high, quotient, quotient_high;
} isopod_factor256;

ISOPOD_AVX512_INLINE isopod_factor512 isopod_factor512_of(__m512i word, __m512i quotient) {
    isopod_factor512 factor = {word, quotient, _mm512_srli_epi64(quotient, 32)};
    return factor;
}

ISOPOD_AVX2_INLINE isopod_factor256 isopod_factor256_of(__m256i word, __m256i quotient) {
    isopod_factor256 factor = {word, _mm256_srli_epi64(word, 32), quotient,
                               _mm256_srli_epi64(quotient, 32)};
    return factor;
}

/* x*w mod q in 0 .. 4q for any x < 2^64: the exact quotient would give less than 2q, and without
 * the product of the low words and its carries it is at most two too small. */
ISOPOD_AVX512_INLINE __m512i isopod_product512(__m512i x, const isopod_factor512 *factor,
                                               __m512i modulus) {
    __m512i x_high = _mm512_srli_epi64(x, 32);
    __m512i high = _mm512_mul_epu32(x_high, factor->quotient_high);
    __m512i middle0 = _mm512_srli_epi64(_mm512_mul_epu32(x_high, factor->quotient), 32);
    __m512i middle1 = _mm512_srli_epi64(_mm512_mul_epu32(x, factor->quotient_high), 32);
    __m512i quotient = _mm512_add_epi64(_mm512_add_epi64(high, middle0), middle1);
    return _mm512_sub_epi64(_mm512_mullo_epi64(x, factor->word),
                            _mm512_mullo_epi64(quotient, modulus));
}

/* isopod_product512 by 32-bit products: the low half of x*factor - quotient*modulus. */
ISOPOD_AVX2_INLINE __m256i isopod_product256(__m256i x, const isopod_factor256 *factor,
                                             __m256i modulus) {
    __m256i x_high = _mm256_srli_epi64(x, 32), modulus_high = _mm256_srli_epi64(modulus, 32);
    __m256i high = _mm256_mul_epu32(x_high, factor->quotient_high);
    __m256i middle0 = _mm256_srli_epi64(_mm256_mul_epu32(x_high, factor->quotient), 32);
    __m256i middle1 = _mm256_srli_epi64(_mm256_mul_epu32(x, factor->quotient_high), 32);
    __m256i quotient = _mm256_add_epi64(_mm256_add_epi64(high, middle0), middle1);
    __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(x_high, factor->word),
                                     _mm256_mul_epu32(x, factor->word_high));
    cross = _mm256_sub_epi64(cross, _mm256_mul_epu32(_mm256_srli_epi64(quotient, 32), modulus));
    cross = _mm256_sub_epi64(cross, _mm256_mul_epu32(quotient, modulus_high));
    __m256i low =
        _mm256_sub_epi64(_mm256_mul_epu32(x, factor->word), _mm256_mul_epu32(quotient, modulus));
    return _mm256_add_epi64(low, _mm256_slli_epi64(cross, 32));
}

/* x - bound where that is not negative, otherwise x; |x - bound| < 2^63. */
ISOPOD_AVX512_INLINE __m512i isopod_lower512(__m512i x, __m512i bound) {
    return _mm512_min_epu64(x, _mm512_sub_epi64(x, bound));
}

ISOPOD_AVX2_INLINE __m256i isopod_lower256(__m256i x, __m256i bound) {
    __m256i lower = _mm256_sub_epi64(x, bound);
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(lower), _mm256_castsi256_pd(x),
                                                _mm256_castsi256_pd(lower)));
}

/* Transposes eight rows of eight words. */
ISOPOD_AVX512_INLINE void isopod_transpose512(__m512i v[8]) {
    __m512i a[8], b[8];
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i += 2) {
        a[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
        a[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i += 4) {
#pragma GCC unroll 16
        for (unsigned k = 0; k < 2; k++) {
            b[i + k] = _mm512_shuffle_i64x2(a[i + k], a[i + k + 2], 0x88);
            b[i + k + 2] = _mm512_shuffle_i64x2(a[i + k], a[i + k + 2], 0xdd);
        }
    }
#pragma GCC unroll 16
    for (unsigned k = 0; k < 4; k++) {
        v[k] = _mm512_shuffle_i64x2(b[k], b[k + 4], 0x88);
        v[k + 4] = _mm512_shuffle_i64x2(b[k], b[k + 4], 0xdd);
    }
}

#endif
