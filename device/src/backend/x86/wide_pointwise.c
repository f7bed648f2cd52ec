#define ISOPOD_LIMB_BITS 64
#define isopod_wide_multiply_add isopod_portable_wide_multiply_add
#define isopod_wide_multiply_add_mask isopod_portable_wide_multiply_add_mask
#define isopod_wide_reduce_all isopod_portable_wide_reduce_all
#define isopod_wide_canonical_all isopod_portable_wide_canonical_all
#define isopod_wide_to_montgomery_all isopod_portable_wide_to_montgomery_all
#include "../portable/pointwise.c"
#undef isopod_wide_multiply_add
#undef isopod_wide_multiply_add_mask
#undef isopod_wide_reduce_all
#undef isopod_wide_canonical_all
#undef isopod_wide_to_montgomery_all

#include "wide_span.h"
#include "wide_vectors.h"

__typeof__(isopod_portable_wide_multiply_add) isopod_wide_multiply_add;
__typeof__(isopod_portable_wide_multiply_add_mask) isopod_wide_multiply_add_mask;
__typeof__(isopod_portable_wide_reduce_all) isopod_wide_reduce_all;
__typeof__(isopod_portable_wide_canonical_all) isopod_wide_canonical_all;
__typeof__(isopod_portable_wide_to_montgomery_all) isopod_wide_to_montgomery_all;

typedef struct {
    __m512i modulus, twice, four, inverse, half_multiple;
    isopod_factor512 one; /* with its quotient, floor(2^64 / q) */
} field;

ISOPOD_AVX512_INLINE field field_of(const isopod_wide_prime *prime) {
    const uint64_t modulus = prime->modulus, half = (uint64_t)1 << 63;
    field field = {_mm512_set1_epi64((long long)modulus),
                   _mm512_set1_epi64((long long)(2 * modulus)),
                   _mm512_set1_epi64((long long)(4 * modulus)),
                   _mm512_set1_epi64((long long)prime->inverse),
                   _mm512_set1_epi64((long long)(half - half % modulus)),
                   isopod_factor512_of(_mm512_set1_epi64(1),
                                       _mm512_set1_epi64((long long)(UINT64_MAX / modulus)))};
    return field;
}

/* The high half of the product. */
ISOPOD_AVX512_INLINE __m512i high_half(__m512i a, __m512i b) {
    const __m512i low_words = _mm512_set1_epi64(0xffffffff);
    __m512i a_high = _mm512_srli_epi64(a, 32), b_high = _mm512_srli_epi64(b, 32);
    __m512i low = _mm512_mul_epu32(a, b), high = _mm512_mul_epu32(a_high, b_high);
    __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_srli_epi64(low, 32));
    __m512i other =
        _mm512_add_epi64(_mm512_mul_epu32(a, b_high), _mm512_and_si512(middle, low_words));
    high = _mm512_add_epi64(high, _mm512_srli_epi64(middle, 32));
    return _mm512_add_epi64(high, _mm512_srli_epi64(other, 32));
}

/* a*b/2^64 mod q in 0 .. 2q for a, b < 2^64 with a*b < 2^64 q. */
ISOPOD_AVX512_INLINE __m512i montgomery(__m512i a, __m512i b, const field *field) {
    __m512i multiple = _mm512_mullo_epi64(_mm512_mullo_epi64(a, b), field->inverse);
    __m512i difference = _mm512_sub_epi64(high_half(a, b), high_half(multiple, field->modulus));
    return _mm512_add_epi64(difference, field->modulus);
}

/* From 0 .. 8q to 0 .. q */
ISOPOD_AVX512_INLINE __m512i canonical(__m512i x, const field *field) {
    x = isopod_lower512(x, field->four);
    x = isopod_lower512(x, field->twice);
    return isopod_lower512(x, field->modulus);
}

/* Any signed x to 0 .. 4q: what is negative has a multiple of q above 2^63 - q added, and q. */
ISOPOD_AVX512_INLINE __m512i reduced(__m512i x, const field *field) {
    __mmask8 negative = _mm512_movepi64_mask(x);
    x = _mm512_mask_add_epi64(x, negative, x, field->half_multiple);
    x = _mm512_mask_add_epi64(x, negative, x, field->modulus);
    return isopod_product512(x, &field->one, field->modulus);
}

static ISOPOD_AVX512 void multiply_add(int64_t *x, const int64_t *a, const uint64_t *key,
                                       uint32_t count, const isopod_wide_prime *prime) {
    const field field = field_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i factor = _mm512_loadu_si512(a + i);
        __m512i sum = reduced(_mm512_loadu_si512(x + i), &field);
        factor = _mm512_mask_add_epi64(factor, _mm512_movepi64_mask(factor), factor, field.modulus);
        sum = _mm512_add_epi64(sum, montgomery(factor, _mm512_loadu_si512(key + i), &field));
        _mm512_storeu_si512(x + i, canonical(sum, &field));
    }
}

static ISOPOD_AVX512 void canonical_all(int64_t *x, uint32_t count,
                                        const isopod_wide_prime *prime) {
    const field field = field_of(prime);
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i value = reduced(_mm512_loadu_si512(x + i), &field);
        _mm512_storeu_si512(x + i, canonical(value, &field));
    }
}

static ISOPOD_AVX512 void to_montgomery_all(int64_t *x, uint32_t count,
                                            const isopod_wide_prime *prime) {
    const field field = field_of(prime);
    const __m512i square = _mm512_set1_epi64((long long)prime->montgomery_square);
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i value = montgomery(reduced(_mm512_loadu_si512(x + i), &field), square, &field);
        _mm512_storeu_si512(x + i, canonical(value, &field));
    }
}

void isopod_multiply_add(int64_t *x, const int64_t *a, const uint64_t *key, uint32_t count,
                         const isopod_wide_prime *prime) {
    (isopod_has_avx512() && count % 8 == 0 ? multiply_add : isopod_portable_wide_multiply_add)(
        x, a, key, count, prime);
}

void isopod_multiply_add_mask(int64_t *x, isopod_mask *mask, const uint64_t *key, uint32_t count) {
    uint64_t residues[ISOPOD_WIDE_SPAN];
    for (uint32_t i = 0; i < count; i += ISOPOD_WIDE_SPAN) {
        uint32_t step = count - i < ISOPOD_WIDE_SPAN ? count - i : ISOPOD_WIDE_SPAN;
        isopod_wide_span(mask, residues, step);
        isopod_multiply_add(x + i, (const int64_t *)residues, key + i, step, mask->at.prime);
    }
}

void isopod_canonical_all(int64_t *x, uint32_t count, const isopod_wide_prime *prime) {
    (isopod_has_avx512() && count % 8 == 0 ? canonical_all
                                           : isopod_portable_wide_canonical_all)(x, count, prime);
}

void isopod_reduce_all(int64_t *x, uint32_t count, const isopod_wide_prime *prime) {
    (isopod_has_avx512() && count % 8 == 0 ? canonical_all
                                           : isopod_portable_wide_reduce_all)(x, count, prime);
}

void isopod_to_montgomery_all(int64_t *x, uint32_t count, const isopod_wide_prime *prime) {
    (isopod_has_avx512() && count % 8 == 0
         ? to_montgomery_all
         : isopod_portable_wide_to_montgomery_all)(x, count, prime);
}
