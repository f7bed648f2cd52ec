/* The check of values' range (encode/encode.h) for AVX2. Constant time with respect to the
 * values. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../base/constant_time.h"
#include "../../../encode/encode.h"
#include "../../../encode/values.h"

#include "../../../base/memory.h"
#include "../base/avx2.h"

/* All ones in words whose magnitude is not finite or above the bound. Comparisons are signed, since
 * magnitudes have no sign bit. */
typedef struct {
    __m256i not_finite;
    __m256i over;
} findings;

ISOPOD_AVX2_INLINE void check_floats32(findings *found, const void *at, int32_t log2_bound) {
    const __m256i finite = _mm256_set1_epi32((int)(ISOPOD_FLOAT32_INFINITY - 1u));
    const __m256i limit = _mm256_set1_epi32((int)((uint32_t)(log2_bound + 127) << 23));
    __m256i value = _mm256_and_si256(isopod_load(at), _mm256_set1_epi32(INT32_MAX));
    found->not_finite = _mm256_or_si256(found->not_finite, _mm256_cmpgt_epi32(value, finite));
    found->over = _mm256_or_si256(found->over, _mm256_cmpgt_epi32(value, limit));
}

ISOPOD_AVX2_INLINE void check_floats64(findings *found, const void *at, int32_t log2_bound) {
    const __m256i finite = _mm256_set1_epi64x((int64_t)(ISOPOD_FLOAT64_INFINITY - 1u));
    const __m256i limit = _mm256_set1_epi64x((int64_t)((uint64_t)(log2_bound + 1023) << 52));
    __m256i value = _mm256_and_si256(isopod_load(at), _mm256_set1_epi64x(INT64_MAX));
    found->not_finite = _mm256_or_si256(found->not_finite, _mm256_cmpgt_epi64(value, finite));
    found->over = _mm256_or_si256(found->over, _mm256_cmpgt_epi64(value, limit));
}

/* Checks whole vectors; `bytes` is their length. */
static ISOPOD_AVX2 findings check_span(const uint8_t *at, size_t bytes, isopod_value_type type,
                                       int32_t log2_bound) {
    findings found = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    if (type == ISOPOD_VALUES_FLOAT32) {
        for (const uint8_t *end = at + bytes; at != end; at += 32) {
            check_floats32(&found, at, log2_bound);
        }
    } else {
        for (const uint8_t *end = at + bytes; at != end; at += 32) {
            check_floats64(&found, at, log2_bound);
        }
    }
    return found;
}

/* Checks all values; zeros fill the last vector. */
static ISOPOD_AVX2 isopod_status check_vectors(const isopod_values *values, int32_t log2_bound) {
    const size_t bytes = (size_t)values->count * (values->type == ISOPOD_VALUES_FLOAT64 ? 8u : 4u);
    const uint8_t *at = values->data;
    uint8_t rest[32] = {0};
    isopod_copy(rest, at + bytes / 32 * 32, bytes % 32);
    findings whole = check_span(at, bytes / 32 * 32, values->type, log2_bound);
    findings last = check_span(rest, sizeof rest, values->type, log2_bound);
    isopod_wipe(rest, sizeof rest);
    int not_finite = _mm256_movemask_epi8(_mm256_or_si256(whole.not_finite, last.not_finite));
    int over = _mm256_movemask_epi8(_mm256_or_si256(whole.over, last.over));
    ISOPOD_DECLASSIFY(not_finite);
    ISOPOD_DECLASSIFY(over);
    if (not_finite != 0) {
        return ISOPOD_ERROR_NOT_FINITE;
    }
    return over != 0 ? ISOPOD_ERROR_VALUE_RANGE : ISOPOD_OK;
}

uint32_t isopod_native_values_check(const isopod_values *values, int8_t log2_bound,
                                    isopod_status *status) {
    const int is_float =
        values->type == ISOPOD_VALUES_FLOAT32 || values->type == ISOPOD_VALUES_FLOAT64;
    if (!is_float || !isopod_has_avx2()) {
        return 0;
    }
    *status = check_vectors(values, log2_bound);
    return 1;
}

#endif
