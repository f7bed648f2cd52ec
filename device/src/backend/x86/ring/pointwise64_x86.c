/* Products and reductions in the NTT domain (ring/pointwise.h, with the bounds) modulo a 64-bit
 * prime for AVX-512. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/pointwise.h"

#include "field64.h"
#include "../random/span64.h"

static ISOPOD_AVX512 void multiply_add(int64_t *x, const int64_t *a, const uint64_t *key,
                                       uint32_t count, const isopod_prime64 *prime) {
    const isopod_field512 field = isopod_field512_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i factor = _mm512_loadu_si512(a + i);
        __m512i sum = isopod_reduced512(_mm512_loadu_si512(x + i), &field);
        factor = _mm512_mask_add_epi64(factor, _mm512_movepi64_mask(factor), factor, field.modulus);
        sum = _mm512_add_epi64(sum,
                               isopod_montgomery512(factor, _mm512_loadu_si512(key + i), &field));
        _mm512_storeu_si512(x + i, isopod_canonical512(sum, &field));
    }
}

static ISOPOD_AVX512 void canonical_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    const isopod_field512 field = isopod_field512_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i value = isopod_reduced512(_mm512_loadu_si512(x + i), &field);
        _mm512_storeu_si512(x + i, isopod_canonical512(value, &field));
    }
}

static ISOPOD_AVX512 void to_montgomery_all(int64_t *x, uint32_t count,
                                            const isopod_prime64 *prime) {
    const isopod_field512 field = isopod_field512_of(prime);
    const __m512i square = _mm512_set1_epi64((long long)prime->montgomery_square);
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i value = isopod_montgomery512(isopod_reduced512(_mm512_loadu_si512(x + i), &field),
                                             square, &field);
        _mm512_storeu_si512(x + i, isopod_canonical512(value, &field));
    }
}

uint32_t isopod_native_multiply_add(int64_t *x, const int64_t *a, const uint64_t *key,
                                    uint32_t count, const isopod_prime64 *prime) {
    const uint32_t takes = isopod_has_avx512() && count % 8 == 0;
    if (takes) {
        multiply_add(x, a, key, count, prime);
    }
    return takes;
}

uint32_t isopod_native_multiply_add_mask(int64_t *x, isopod_mask *mask, const uint64_t *key,
                                         uint32_t count) {
    uint64_t residues[ISOPOD64_SPAN];
    for (uint32_t i = 0; i < count; i += ISOPOD64_SPAN) {
        uint32_t step = count - i < ISOPOD64_SPAN ? count - i : ISOPOD64_SPAN;
        isopod64_span(mask, residues, step);
        isopod_multiply_add(x + i, (const int64_t *)residues, key + i, step, mask->at.prime);
    }
    return 1;
}

uint32_t isopod_native_reduce_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    const uint32_t takes = isopod_has_avx512() && count % 8 == 0;
    if (takes) {
        canonical_all(x, count, prime);
    }
    return takes;
}

uint32_t isopod_native_canonical_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    const uint32_t takes = isopod_has_avx512() && count % 8 == 0;
    if (takes) {
        canonical_all(x, count, prime);
    }
    return takes;
}

uint32_t isopod_native_to_montgomery_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    const uint32_t takes = isopod_has_avx512() && count % 8 == 0;
    if (takes) {
        to_montgomery_all(x, count, prime);
    }
    return takes;
}

#endif
