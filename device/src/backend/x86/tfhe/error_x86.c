/* TUniform and Gaussian errors of TFHE (tfhe/error/error.h) for AVX2, eight at a time. Constant
 * time. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../base/avx2.h"

#include "../../../tfhe/error/error.h"
#include "../../../tfhe/error/gaussian_thresholds.h"

/* The positions of eight fields, which fill as many bytes as the width has bits. For each half of a
 * vector it holds the bytes in which four fields begin, and the number of bits before them there.
 * The upper half begins at byte floor(width / 2). */
typedef struct {
    uint8_t bytes[32];
    uint32_t shifts[8];
} fields;

#define BYTES(a) (a), (a) + 1, (a) + 2, (a) + 3

static const fields fields_of_10 = {
    {BYTES(0), BYTES(1), BYTES(2), BYTES(3), BYTES(0), BYTES(1), BYTES(2), BYTES(3)},
    {0, 2, 4, 6, 0, 2, 4, 6}};
static const fields fields_of_19 = {
    {BYTES(0), BYTES(2), BYTES(4), BYTES(7), BYTES(0), BYTES(2), BYTES(5), BYTES(7)},
    {0, 3, 6, 1, 4, 7, 2, 5}};

ISOPOD_AVX2_INLINE __m128i load_bytes(const uint8_t *at) {
    return _mm_loadu_si128((const void *)at);
}

ISOPOD_AVX2_INLINE __m256i tuniform_eight(const uint8_t *at, const fields *of, uint32_t width) {
    const __m256i ones = _mm256_set1_epi32(1);
    __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(load_bytes(at)),
                                            load_bytes(at + width / 2u), 1);
    __m256i x = _mm256_shuffle_epi8(bytes, isopod_load(of->bytes));
    x = _mm256_srlv_epi32(x, isopod_load(of->shifts));
    x = _mm256_and_si256(x, _mm256_set1_epi32((1 << width) - 1));
    x = _mm256_srli_epi32(_mm256_add_epi32(x, ones), 1);
    return _mm256_sub_epi32(x, _mm256_set1_epi32(1 << (width - 2u)));
}

#define EIGHTS (ISOPOD_ERROR_GROUP / 8u)

/* A group of errors. */
ISOPOD_AVX2_INLINE void tuniform_group(__m256i errors[EIGHTS], const uint32_t *words,
                                       uint32_t width) {
    const fields *of = width == 10u ? &fields_of_10 : &fields_of_19;
    const uint8_t *at = (const uint8_t *)words;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < EIGHTS; i++, at += width) {
        errors[i] = tuniform_eight(at, of, width);
    }
}

ISOPOD_AVX2_INLINE void store_group(int32_t *out, const __m256i errors[EIGHTS]) {
#pragma GCC unroll 4
    for (uint32_t i = 0; i < EIGHTS; i++) {
        isopod_store(out + (size_t)8 * i, errors[i]);
    }
}

static ISOPOD_AVX2 void tuniform(int32_t *out, const uint32_t *words, uint32_t width) {
    __m256i errors[EIGHTS];
    tuniform_group(errors, words, width);
    store_group(out, errors);
}

uint32_t isopod_native_error_tuniform(int32_t out[ISOPOD_ERROR_GROUP], uint32_t log2_bound,
                                      const uint32_t *words) {
    if (!isopod_has_avx2()) {
        return 0;
    }
    tuniform(out, words, log2_bound + 2u);
    return 1;
}

/* Thresholds are compared as signed words: all are below 2^31. */
ISOPOD_AVX2_INLINE __m256i draw_eight(const uint32_t *words) {
    __m256i word = isopod_load(words), magnitude = _mm256_setzero_si256();
    __m256i r = _mm256_srli_epi32(word, 1);
    for (uint32_t x = 0; x < ISOPOD_GAUSSIAN_THRESHOLDS; x++) {
        __m256i threshold = _mm256_set1_epi32((int32_t)isopod_gaussian_thresholds[x] - 1);
        magnitude = _mm256_sub_epi32(magnitude, _mm256_cmpgt_epi32(r, threshold));
    }
    __m256i sign =
        _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(word, _mm256_set1_epi32(1)));
    return _mm256_sub_epi32(_mm256_xor_si256(magnitude, sign), sign);
}

ISOPOD_AVX2_INLINE void gaussian_group(__m256i errors[EIGHTS], const uint32_t *words) {
#pragma GCC unroll 4
    for (uint32_t i = 0; i < EIGHTS; i++) {
        const uint32_t *at = words + i / 2u * 48u + i % 2u * 8u;
        __m256i five = _mm256_mullo_epi32(draw_eight(at + 16), _mm256_set1_epi32(5));
        __m256i more = _mm256_mullo_epi32(draw_eight(at + 32), _mm256_set1_epi32(25));
        errors[i] = _mm256_add_epi32(draw_eight(at), _mm256_add_epi32(five, more));
    }
}

static ISOPOD_AVX2 void gaussian(int32_t *out, const uint32_t *words) {
    __m256i errors[EIGHTS];
    gaussian_group(errors, words);
    store_group(out, errors);
}

uint32_t isopod_native_error_gaussian(int32_t out[ISOPOD_ERROR_GROUP],
                                      const uint32_t words[ISOPOD_GAUSSIAN_WORDS]) {
    if (!isopod_has_avx2()) {
        return 0;
    }
    gaussian(out, words);
    return 1;
}

/* The term that a message adds to a coefficient: a block at `delta`, less `offset`. */
typedef struct {
    __m128i delta;
    __m256i offset;
} placement;

ISOPOD_AVX2_INLINE placement placement_of(const isopod_tfhe_params *params) {
    const uint64_t half = params->centred != 0 ? (uint64_t)1 << (params->log2_delta - 1u) : 0;
    placement at = {_mm_cvtsi32_si128(params->log2_delta),
                    params->log2_modulus == 32 ? _mm256_set1_epi32((int32_t)(uint32_t)half)
                                               : _mm256_set1_epi64x((int64_t)half)};
    return at;
}

/* Eight blocks from bit 2 * first of the word on. */
ISOPOD_AVX2_INLINE __m256i blocks_eight(uint32_t word, uint32_t first) {
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    const __m256i shifts = _mm256_add_epi32(even, _mm256_set1_epi32((int32_t)(2u * first)));
    __m256i spread = _mm256_set1_epi32((int32_t)word);
    return _mm256_and_si256(_mm256_srlv_epi32(spread, shifts), _mm256_set1_epi32(3));
}

ISOPOD_AVX2_INLINE void add_group32(uint32_t *words, const __m256i errors[EIGHTS],
                                    const uint32_t *blocks, const placement *place) {
#pragma GCC unroll 4
    for (uint32_t i = 0; i < EIGHTS; i++, words += 8) {
        __m256i sum = _mm256_add_epi32(isopod_load(words), errors[i]);
        if (blocks != NULL) {
            __m256i block = blocks_eight(blocks[i / 2u], i % 2u * 8u);
            sum = _mm256_add_epi32(sum, _mm256_sll_epi32(block, place->delta));
            sum = _mm256_sub_epi32(sum, place->offset);
        }
        isopod_store(words, sum);
    }
}

ISOPOD_AVX2_INLINE void add_four64(uint64_t *words, __m128i errors, __m128i blocks,
                                   const placement *place) {
    __m256i message = _mm256_sll_epi64(_mm256_cvtepi32_epi64(blocks), place->delta);
    __m256i sum = _mm256_add_epi64(isopod_load(words), _mm256_cvtepi32_epi64(errors));
    isopod_store(words, _mm256_add_epi64(sum, _mm256_sub_epi64(message, place->offset)));
}

ISOPOD_AVX2_INLINE void add_group64(uint64_t *words, const __m256i errors[EIGHTS],
                                    const uint32_t *blocks, const placement *place) {
    static const placement nowhere;
    const placement *at = blocks != NULL ? place : &nowhere;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < EIGHTS; i++, words += 8) {
        __m256i error = errors[i], block = _mm256_setzero_si256();
        if (blocks != NULL) {
            block = blocks_eight(blocks[i / 2u], i % 2u * 8u);
        }
        add_four64(words, _mm256_castsi256_si128(error), _mm256_castsi256_si128(block), at);
        add_four64(words + 4, _mm256_extracti128_si256(error, 1),
                   _mm256_extracti128_si256(block, 1), at);
    }
}

static ISOPOD_AVX2 void add_tuniform8(uint32_t *words, const uint32_t *random, uint32_t groups,
                                      const uint32_t *blocks, const isopod_tfhe_params *params) {
    const placement place = placement_of(params);
    for (; groups > 0; groups--, words += ISOPOD_ERROR_GROUP, random += 10) {
        __m256i errors[EIGHTS];
        tuniform_group(errors, random, 10);
        add_group32(words, errors, blocks, &place);
        blocks = blocks != NULL ? blocks + 2 : NULL;
    }
}

static ISOPOD_AVX2 void add_tuniform17(uint64_t *words, const uint32_t *random, uint32_t groups,
                                       const uint32_t *blocks, const isopod_tfhe_params *params) {
    const placement place = placement_of(params);
    for (; groups > 0; groups--, words += ISOPOD_ERROR_GROUP, random += 19) {
        __m256i errors[EIGHTS];
        tuniform_group(errors, random, 19);
        add_group64(words, errors, blocks, &place);
        blocks = blocks != NULL ? blocks + 2 : NULL;
    }
}

static ISOPOD_AVX2 void add_gaussian(uint32_t *words, const uint32_t *random, uint32_t groups,
                                     const uint32_t *blocks, const isopod_tfhe_params *params) {
    const placement place = placement_of(params);
    for (; groups > 0; groups--, words += ISOPOD_ERROR_GROUP, random += ISOPOD_GAUSSIAN_WORDS) {
        __m256i errors[EIGHTS];
        gaussian_group(errors, random);
        add_group32(words, errors, blocks, &place);
        blocks = blocks != NULL ? blocks + 2 : NULL;
    }
}

/* isopod_tfhe_parameters_check accepts no other noise. */
uint32_t isopod_native_errors_add(void *words, uint32_t *random, uint32_t groups,
                                  const uint32_t *blocks, const isopod_tfhe_params *params) {
    const uint32_t *drawn = random + isopod_errors_room(params);
    if (!isopod_has_avx2()) {
        return 0;
    }
    if (params->log2_modulus == 64) {
        add_tuniform17(words, drawn, groups, blocks, params);
    } else if (params->tuniform != 0) {
        add_tuniform8(words, drawn, groups, blocks, params);
    } else {
        add_gaussian(words, drawn, groups, blocks, params);
    }
    return 1;
}

#endif
