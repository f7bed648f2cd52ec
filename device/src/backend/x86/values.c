#define isopod_values_check isopod_portable_values_check
#include "../portable/values.c"
#undef isopod_values_check

#include "avx2.h"

__typeof__(isopod_portable_values_check) isopod_values_check;

/* check_float32 of whole vectors: signed comparisons, as magnitudes are below 2^31. */
static ISOPOD_AVX2 offences check_float32_vectors(const uint32_t *values, uint32_t count,
                                                  int32_t log2_bound) {
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    const __m256i finite = _mm256_set1_epi32((int)(FLOAT32_INFINITY - 1u));
    const __m256i limit = _mm256_set1_epi32((int)((uint32_t)(log2_bound + 127) << 23));
    __m256i largest = _mm256_setzero_si256();
    for (uint32_t i = 0; i < count; i += 8) {
        __m256i value = _mm256_and_si256(isopod_load(values + i), magnitude);
        largest = _mm256_max_epu32(largest, value);
    }
    uint32_t not_finite = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi32(largest, finite));
    uint32_t over = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi32(largest, limit));
    return (offences){not_finite, over};
}

static ISOPOD_AVX2 offences check_float64_vectors(const uint64_t *values, uint32_t count,
                                                  int32_t log2_bound) {
    const __m256i magnitude = _mm256_set1_epi64x(INT64_MAX);
    const __m256i finite = _mm256_set1_epi64x((int64_t)(FLOAT64_INFINITY - 1u));
    const __m256i limit = _mm256_set1_epi64x((int64_t)((uint64_t)(log2_bound + 1023) << 52));
    __m256i not_finite = _mm256_setzero_si256(), over = not_finite;
    for (uint32_t i = 0; i < count; i += 4) {
        __m256i value = _mm256_and_si256(isopod_load(values + i), magnitude);
        not_finite = _mm256_or_si256(not_finite, _mm256_cmpgt_epi64(value, finite));
        over = _mm256_or_si256(over, _mm256_cmpgt_epi64(value, limit));
    }
    return (offences){(uint32_t)_mm256_movemask_epi8(not_finite),
                      (uint32_t)_mm256_movemask_epi8(over)};
}

static isopod_status answer(offences found) {
    ISOPOD_DECLASSIFY(found);
    if (found.not_finite != 0) {
        return ISOPOD_ERROR_NOT_FINITE;
    }
    return found.over != 0 ? ISOPOD_ERROR_VALUE_RANGE : ISOPOD_OK;
}

/* The whole vectors' offences and those of the rest. */
static isopod_status check_both(const isopod_values *values, int8_t log2_bound) {
    const uint32_t whole = values->count & ~7u, rest = values->count & 7u;
    offences first, second;
    if (values->type == ISOPOD_VALUES_FLOAT32) {
        const uint32_t *at = values->data;
        first = check_float32_vectors(at, whole, log2_bound);
        second = check_float32(at + whole, rest, log2_bound);
    } else {
        const uint64_t *at = values->data;
        first = check_float64_vectors(at, whole, log2_bound);
        second = check_float64(at + whole, rest, log2_bound);
    }
    return answer((offences){first.not_finite | second.not_finite, first.over | second.over});
}

isopod_status isopod_values_check(const isopod_values *values, int8_t log2_bound) {
    const int is_float =
        values->type == ISOPOD_VALUES_FLOAT32 || values->type == ISOPOD_VALUES_FLOAT64;
    return is_float && isopod_has_avx2() ? check_both(values, log2_bound)
                                         : isopod_portable_values_check(values, log2_bound);
}
