/* Arithmetic modulo a 64-bit prime in eight lanes of AVX-512; representatives are unsigned. */
#ifndef ISOPOD_X86_FIELD64_H
#define ISOPOD_X86_FIELD64_H

#include "../../../base/word.h"
#include "vectors64.h"

typedef struct {
    __m512i modulus, twice, four, inverse, half_multiple;
    isopod_factor512 one; /* with its quotient, floor(2^64 / q) */
} isopod_field512;

ISOPOD_AVX512_INLINE isopod_field512 isopod_field512_of(const isopod_prime64 *prime) {
    const uint64_t modulus = prime->modulus, half = (uint64_t)1 << 63;
    isopod_field512 field = {
        _mm512_set1_epi64((long long)modulus),
        _mm512_set1_epi64((long long)(2 * modulus)),
        _mm512_set1_epi64((long long)(4 * modulus)),
        _mm512_set1_epi64((long long)prime->inverse),
        _mm512_set1_epi64((long long)(half - half % modulus)),
        isopod_factor512_of(_mm512_set1_epi64(1),
                            _mm512_set1_epi64((long long)(UINT64_MAX / modulus)))};
    return field;
}

/* The high half of the product. */
ISOPOD_AVX512_INLINE __m512i isopod_high512(__m512i a, __m512i b) {
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
ISOPOD_AVX512_INLINE __m512i isopod_montgomery512(__m512i a, __m512i b,
                                                  const isopod_field512 *field) {
    __m512i multiple = _mm512_mullo_epi64(_mm512_mullo_epi64(a, b), field->inverse);
    __m512i difference =
        _mm512_sub_epi64(isopod_high512(a, b), isopod_high512(multiple, field->modulus));
    return _mm512_add_epi64(difference, field->modulus);
}

/* Reduces 0 .. 8q to 0 .. q. */
ISOPOD_AVX512_INLINE __m512i isopod_canonical512(__m512i x, const isopod_field512 *field) {
    x = isopod_lower512(x, field->four);
    x = isopod_lower512(x, field->twice);
    return isopod_lower512(x, field->modulus);
}

/* Reduces any signed x to 0 .. 4q: a multiple of q above 2^63 - q, and q, are added to negative
 * values. */
ISOPOD_AVX512_INLINE __m512i isopod_reduced512(__m512i x, const isopod_field512 *field) {
    __mmask8 negative = _mm512_movepi64_mask(x);
    x = _mm512_mask_add_epi64(x, negative, x, field->half_multiple);
    x = _mm512_mask_add_epi64(x, negative, x, field->modulus);
    return isopod_product512(x, &field->one, field->modulus);
}

#endif
