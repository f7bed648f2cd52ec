/* Attributes and permutations that the files of this backend share. Their functions check the
 * processor's features at every call, since the library has no writable memory to keep them. The
 * compiler's support library reads the processor once, before main. With ISOPOD_WITHOUT_AVX2 the
 * portable kernels always run. */
#ifndef ISOPOD_X86_AVX2_H
#define ISOPOD_X86_AVX2_H

#include <immintrin.h>
#include <stdint.h>

/* Attribute of functions that only run where isopod_has_avx2() holds. */
#define ISOPOD_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define ISOPOD_AVX2_INLINE static inline __attribute__((always_inline, target("avx2,bmi2,popcnt")))
/* Functions with a frame of their own, so that the caller can wipe the stack below it. */
#define ISOPOD_AVX2_APART static __attribute__((noinline, target("avx2,bmi2,popcnt")))

static inline int isopod_has_avx2(void) {
#ifdef ISOPOD_WITHOUT_AVX2
    return 0;
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#endif
}

ISOPOD_AVX2_INLINE __m256i isopod_load(const void *at) {
    return _mm256_loadu_si256(at);
}

ISOPOD_AVX2_INLINE void isopod_store(void *at, __m256i value) {
    _mm256_storeu_si256(at, value);
}

/* The odd words of a vector in the places of the even ones. */
ISOPOD_AVX2_INLINE __m256i isopod_odd(__m256i x) {
    return _mm256_castps_si256(_mm256_movehdup_ps(_mm256_castsi256_ps(x)));
}

/* The high words of products of even and of odd words, as one vector. */
ISOPOD_AVX2_INLINE __m256i isopod_high_words(__m256i even, __m256i odd) {
    return _mm256_blend_epi32(isopod_odd(even), odd, 0xaa);
}

/* Transposes eight rows of eight words. */
ISOPOD_AVX2_INLINE void isopod_transpose(__m256i v[8]) {
    __m256i pairs[8], fours[8];
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        pairs[2 * i] = _mm256_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
        pairs[2 * i + 1] = _mm256_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 2; i++) {
        const __m256i *p = pairs + 4 * i;
        fours[4 * i] = _mm256_unpacklo_epi64(p[0], p[2]);
        fours[4 * i + 1] = _mm256_unpackhi_epi64(p[0], p[2]);
        fours[4 * i + 2] = _mm256_unpacklo_epi64(p[1], p[3]);
        fours[4 * i + 3] = _mm256_unpackhi_epi64(p[1], p[3]);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        v[i] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
}

/* Transposes four rows of four pairs of words. */
ISOPOD_AVX2_INLINE void isopod_transpose_pairs(__m256i v[4]) {
    __m256i even01 = _mm256_unpacklo_epi64(v[0], v[1]), odd01 = _mm256_unpackhi_epi64(v[0], v[1]);
    __m256i even23 = _mm256_unpacklo_epi64(v[2], v[3]), odd23 = _mm256_unpackhi_epi64(v[2], v[3]);
    v[0] = _mm256_permute2x128_si256(even01, even23, 0x20);
    v[1] = _mm256_permute2x128_si256(odd01, odd23, 0x20);
    v[2] = _mm256_permute2x128_si256(even01, even23, 0x31);
    v[3] = _mm256_permute2x128_si256(odd01, odd23, 0x31);
}

#endif
