/* Values of 64-bit words of the decoder (spec/decryption.md, section 2), float64 eight at a time;
 * other types as in slot_value.h. */
#include <stddef.h>
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../encode/decode/slot_value.h"

#include "../ring/field64.h"

/* Bits 60 .. 123 of magnitude * rho, below 2^63. */
ISOPOD_AVX512_INLINE __m512i scaled(__m512i magnitude, __m512i reciprocal) {
    __m512i low = _mm512_mullo_epi64(magnitude, reciprocal);
    __m512i high = isopod_high512(magnitude, reciprocal);
    return _mm512_or_si512(_mm512_slli_epi64(high, 4), _mm512_srli_epi64(low, 60));
}

/* The conversion rounds to nearest in every mode of the processor. The multiplication by a power of
 * two is exact, since exponents are within the format (decryption.md, section 2). */
ISOPOD_AVX512_INLINE __m512i float_of(__m512i word, __m512i reciprocal, __m512d unit) {
    const __m512i sign_bit = _mm512_set1_epi64((long long)((uint64_t)1 << 63));
    __m512i magnitude = scaled(_mm512_abs_epi64(word), reciprocal);
    __m512d value = _mm512_mul_pd(
        _mm512_cvt_roundepi64_pd(magnitude, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), unit);
    __m512i sign =
        _mm512_maskz_and_epi64(_mm512_test_epi64_mask(magnitude, magnitude), word, sign_bit);
    return _mm512_or_si512(_mm512_castpd_si512(value), sign);
}

static ISOPOD_AVX512 void floats(uint64_t *out, const int64_t *words, const isopod_slots *slots) {
    const __m512i reciprocal = _mm512_set1_epi64((long long)slots->reciprocal);
    const __m512d unit = _mm512_castsi512_pd(
        _mm512_set1_epi64((long long)((uint64_t)(slots->exponent + 1023) << 52)));
    const uint32_t count = isopod_slot_count(slots);
    isopod_slot_walk walk = isopod_slot_start(slots);
    int64_t group[8] = {0};
    uint64_t values[8];
    for (uint32_t i = 0; i < count; i += 8) {
        uint32_t taken = count - i < 8 ? count - i : 8;
        for (uint32_t k = 0; k < taken; k++, isopod_slot_advance(&walk)) {
            group[k] = words[isopod_slot_place(walk.order, slots->n)];
        }
        _mm512_storeu_si512(values, float_of(_mm512_loadu_si512(group), reciprocal, unit));
        __builtin_memcpy(out + i, values, 8 * (size_t)taken);
    }
}

uint32_t isopod_native_slots64(void *out, const int64_t *words, const isopod_slots *slots) {
    if (slots->type != ISOPOD_VALUES_FLOAT64 || !isopod_has_avx512()) {
        return 0;
    }
    floats(out, words, slots);
    return 1;
}

#endif
