/* Centred binomial errors ([NEWHOPE15]; spec/ckks.md, section 3.1) for AVX2, bit-sliced, 256 at a
 * time. Constant time. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../base/memory.h"
#include "../../../random/sample.h"

#include "../base/avx2.h"

#define CBD_WORDS 42u /* random words for 32 samples: one bit of each word per sample */
#define CBD_HALF 21

/* Samples whose random words are taken at once: 21 groups of eight ChaCha20 blocks. */
#define SPAN 2048u
#define SPAN_WORDS (SPAN / 32u * CBD_WORDS)
/* Eight groups of 32 samples, one in each word of a vector. */
#define GROUPS 8u
#define SAMPLES (32u * GROUPS)

/* sum and carry of three vectors of bits */
ISOPOD_AVX2_INLINE void add_bits(__m256i *sum, __m256i *carry, __m256i a, __m256i b, __m256i c) {
    __m256i half = _mm256_xor_si256(a, b);
    *carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(half, c));
    *sum = _mm256_xor_si256(half, c);
}

/* count_seven of the portable sampler on vectors. */
ISOPOD_AVX2_INLINE void count_seven_vectors(__m256i planes[6], const __m256i w[7]) {
    __m256i s0, s1, s2, c0, c1, c2, c3, carry, next;
    add_bits(&s0, &c0, w[0], w[1], w[2]);
    add_bits(&s1, &c1, w[3], w[4], w[5]);
    add_bits(&s2, &c2, s0, s1, w[6]);
    add_bits(&s1, &c3, c0, c1, c2);
    carry = _mm256_and_si256(planes[0], s2);
    planes[0] = _mm256_xor_si256(planes[0], s2);
    add_bits(&planes[1], &next, planes[1], s1, carry);
    add_bits(&planes[2], &carry, planes[2], c3, next);
#pragma GCC unroll 16
    for (unsigned i = 3; i < 6; i++) {
        next = _mm256_and_si256(planes[i], carry);
        planes[i] = _mm256_xor_si256(planes[i], carry);
        carry = next;
    }
}

/* Words 0..41 of eight groups; word k of group g goes to word g of vector k. The last rows overlap,
 * so that nothing after the groups is read. */
ISOPOD_AVX2_INLINE void load_groups(__m256i w[CBD_WORDS], const uint32_t *words) {
    static const uint8_t first[6] = {0, 8, 16, 24, 32, CBD_WORDS - 8u};
#pragma GCC unroll 16
    for (unsigned part = 0; part < 6; part++) {
        __m256i rows[8];
#pragma GCC unroll 16
        for (unsigned g = 0; g < GROUPS; g++) {
            rows[g] = isopod_load(words + g * CBD_WORDS + first[part]);
        }
        isopod_transpose(rows);
        for (unsigned k = part < 5 ? 0 : 6; k < 8; k++) {
            w[first[part] + k] = rows[k];
        }
    }
}

/* Swaps the upper bits of each field of 2 * by bits of `a` with the lower ones of `b`. */
ISOPOD_AVX2_INLINE void swap_bits(__m256i *a, __m256i *b, int by, int lower) {
    const __m256i mask = _mm256_set1_epi32(lower);
    __m256i change = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi32(*a, by), *b), mask);
    *b = _mm256_xor_si256(*b, change);
    *a = _mm256_xor_si256(*a, _mm256_slli_epi32(change, by));
}

/* Six planes of bits become eight vectors of bytes: vector j holds in its bytes the numbers whose
 * bits were bit j of the bytes of the planes. */
ISOPOD_AVX2_INLINE void join_planes(__m256i v[8], const __m256i planes[6]) {
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i++) {
        v[i] = i < 6 ? planes[i] : _mm256_setzero_si256();
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        swap_bits(&v[i], &v[i + 4], 4, 0x0f0f0f0f);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i += 4) {
        swap_bits(&v[i], &v[i + 2], 2, 0x33333333);
        swap_bits(&v[i + 1], &v[i + 3], 2, 0x33333333);
    }
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i += 2) {
        swap_bits(&v[i], &v[i + 1], 1, 0x55555555);
    }
}

ISOPOD_AVX2_APART void errors_of(int8_t *out, const uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i += SAMPLES, words += GROUPS * CBD_WORDS) {
        __m256i w[CBD_WORDS], planes[6], v[8];
        load_groups(w, words);
#pragma GCC unroll 16
        for (unsigned p = 0; p < 6; p++) {
            planes[p] = _mm256_setzero_si256();
        }
#pragma GCC unroll 16
        for (unsigned k = 0; k < CBD_WORDS; k += 7) {
            count_seven_vectors(planes, w + k);
        }
        join_planes(v, planes);
        isopod_transpose(v);
#pragma GCC unroll 16
        for (unsigned g = 0; g < GROUPS; g++) {
            isopod_store(out + i + 32 * g, _mm256_sub_epi8(v[g], _mm256_set1_epi8(CBD_HALF)));
        }
    }
}

static ISOPOD_AVX2 void error_spans(int8_t *out, uint32_t n, isopod_stream *stream) {
    uint32_t words[SPAN_WORDS];
    for (uint32_t i = 0; i < n; i += SPAN) {
        uint32_t count = n - i < SPAN ? n - i : SPAN;
        isopod_stream_words(stream, words, count / 32 * CBD_WORDS);
        errors_of(out + i, words, count);
    }
    isopod_wipe_stack();
    isopod_wipe(words, sizeof words);
}

uint32_t isopod_native_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
    if (!isopod_has_avx2() || n % SAMPLES != 0) {
        return 0;
    }
    error_spans(out, n, stream);
    return 1;
}

#endif
