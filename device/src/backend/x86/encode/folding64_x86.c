/* The words of decoding from residues modulo 64-bit primes (encode/decode/folding64.h) for AVX-512,
 * eight coefficients at a time. Constant time. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../encode/decode/folding64.h"

#include "../ring/field64.h"

/* Eight integers of 192 bits, lowest words first. */
typedef struct {
    __m512i words[3];
} integers;

/* One prime, and a multiple of it between 2^61 and 2^62. */
typedef struct {
    isopod_field512 field;
    __m512i multiple;
} modulus;

typedef struct {
    modulus primes[3];
    __m512i first_in_second, both_in_third, second_in_third;
    integers all, half, range, above;
} constants;

ISOPOD_AVX512_INLINE integers integers_of(isopod_integer192 value) {
    integers all = {{_mm512_set1_epi64((long long)value.words[0]),
                     _mm512_set1_epi64((long long)value.words[1]),
                     _mm512_set1_epi64((long long)value.words[2])}};
    return all;
}

ISOPOD_AVX512_INLINE __m512i factor_of(int64_t factor, const isopod_prime64 *prime) {
    return _mm512_set1_epi64((long long)isopod_canonical(factor, prime));
}

ISOPOD_AVX512_INLINE constants constants_of(const isopod64_folding *by) {
    const isopod64_remainders *of = &by->remainders;
    constants with;
    for (uint32_t j = 0; j < 3; j++) {
        const isopod_prime64 *prime = &of->primes[j < of->count ? j : 0];
        uint64_t least = (uint64_t)1 << 61;
        with.primes[j].field = isopod_field512_of(prime);
        with.primes[j].multiple =
            _mm512_set1_epi64((long long)(least - least % prime->modulus + prime->modulus));
    }
    with.first_in_second = factor_of(of->first_in_second, &of->primes[of->count > 1 ? 1 : 0]);
    with.both_in_third = factor_of(of->both_in_third, &of->primes[of->count > 2 ? 2 : 0]);
    with.second_in_third = factor_of(of->second_in_third, &of->primes[of->count > 2 ? 2 : 0]);
    with.all = integers_of(of->modulus);
    with.half = integers_of(of->half);
    with.range = integers_of(by->scaling.range);
    with.above = integers_of(by->scaling.above);
    return with;
}

/* a + b with a carry in and out, in one word. */
ISOPOD_AVX512_INLINE __mmask8 add_word(__m512i *a, __m512i b, __mmask8 carry) {
    const __m512i one = _mm512_set1_epi64(1);
    __m512i sum = _mm512_add_epi64(*a, b);
    __mmask8 first = _mm512_cmplt_epu64_mask(sum, b);
    *a = _mm512_mask_add_epi64(sum, carry, sum, one);
    return (__mmask8)(first | _mm512_mask_cmpeq_epi64_mask(carry, *a, _mm512_setzero_si512()));
}

ISOPOD_AVX512_INLINE __mmask8 subtract_word(__m512i *a, __m512i b, __mmask8 borrow) {
    const __m512i one = _mm512_set1_epi64(1);
    __m512i difference = _mm512_sub_epi64(*a, b);
    __mmask8 first = _mm512_cmplt_epu64_mask(*a, b);
    *a = _mm512_mask_sub_epi64(difference, borrow, difference, one);
    return (__mmask8)(first |
                      _mm512_mask_cmpeq_epi64_mask(borrow, difference, _mm512_setzero_si512()));
}

ISOPOD_AVX512_INLINE integers add(integers a, const integers *b) {
    __mmask8 carry = add_word(&a.words[0], b->words[0], 0);
    carry = add_word(&a.words[1], b->words[1], carry);
    (void)add_word(&a.words[2], b->words[2], carry);
    return a;
}

/* Subtracts in the lanes of `which` only. */
ISOPOD_AVX512_INLINE integers subtract(integers a, const integers *b, __mmask8 which) {
    __mmask8 borrow = subtract_word(&a.words[0], _mm512_maskz_mov_epi64(which, b->words[0]), 0);
    borrow = subtract_word(&a.words[1], _mm512_maskz_mov_epi64(which, b->words[1]), borrow);
    (void)subtract_word(&a.words[2], _mm512_maskz_mov_epi64(which, b->words[2]), borrow);
    return a;
}

/* Digits of the mixed radix as in isopod64_coefficient. */
ISOPOD_AVX512_INLINE void digits_of(__m512i digits[3], const __m512i x[3], uint32_t count,
                                    const constants *with) {
    const modulus *first = &with->primes[0], *second = &with->primes[1], *third = &with->primes[2];
    digits[0] = _mm512_add_epi64(
        x[0], _mm512_maskz_mov_epi64(_mm512_movepi64_mask(x[0]), first->field.modulus));
    digits[1] = digits[2] = _mm512_setzero_si512();
    if (count > 1) {
        __m512i rest = _mm512_add_epi64(_mm512_sub_epi64(x[1], digits[0]), second->multiple);
        rest = isopod_montgomery512(rest, with->first_in_second, &second->field);
        digits[1] = isopod_lower512(rest, second->field.modulus);
    }
    if (count > 2) {
        __m512i rest = _mm512_add_epi64(_mm512_sub_epi64(x[2], digits[0]), third->multiple);
        __m512i other = _mm512_sub_epi64(third->multiple, digits[1]);
        rest = isopod_montgomery512(rest, with->both_in_third, &third->field);
        other = isopod_montgomery512(other, with->second_in_third, &third->field);
        rest = isopod_lower512(_mm512_add_epi64(rest, other), third->field.twice);
        digits[2] = isopod_lower512(rest, third->field.modulus);
    }
}

/* The integers in (-Q/2, Q/2]. */
ISOPOD_AVX512_INLINE integers value_of(const __m512i x[3], uint32_t count, const constants *with) {
    __m512i digits[3], q0 = with->primes[0].field.modulus, q1 = with->primes[1].field.modulus;
    digits_of(digits, x, count, with);
    __m512i low = _mm512_mullo_epi64(digits[2], q1), high = isopod_high512(digits[2], q1);
    __mmask8 carry = add_word(&low, digits[1], 0);
    high = _mm512_mask_add_epi64(high, carry, high, _mm512_set1_epi64(1));
    integers value = {
        {_mm512_mullo_epi64(low, q0), isopod_high512(low, q0), isopod_high512(high, q0)}};
    carry = add_word(&value.words[0], digits[0], 0);
    carry = add_word(&value.words[1], _mm512_mullo_epi64(high, q0), carry);
    value.words[2] =
        _mm512_mask_add_epi64(value.words[2], carry, value.words[2], _mm512_set1_epi64(1));
    integers beyond = subtract(value, &with->half, 0xff);
    return subtract(value, &with->all, (__mmask8)~_mm512_movepi64_mask(beyond.words[2]));
}

/* Bits by .. by + 63; a shift by 64 gives zero. */
ISOPOD_AVX512_INLINE __m512i bits_of(const integers *a, uint32_t by) {
    __m512i sign = _mm512_srai_epi64(a->words[2], 63);
    __m512i low = by < 64 ? a->words[0] : by < 128 ? a->words[1] : a->words[2];
    __m512i high = by < 64 ? a->words[1] : by < 128 ? a->words[2] : sign;
    return _mm512_or_si512(_mm512_srl_epi64(low, _mm_cvtsi32_si128((int)(by % 64))),
                           _mm512_sll_epi64(high, _mm_cvtsi32_si128((int)(64 - by % 64))));
}

ISOPOD_AVX512_INLINE __m512i scaled(const integers *d, const isopod64_scaling *by) {
    if (by->down == 0) {
        return _mm512_sll_epi64(d->words[0], _mm_cvtsi32_si128((int)by->left));
    }
    const __m512i zero = _mm512_setzero_si512();
    integers odd = {{_mm512_and_si512(bits_of(d, by->down), _mm512_set1_epi64(1)), zero, zero}};
    integers to_even = integers_of(by->to_even), raised = add(*d, &to_even);
    raised = add(raised, &odd);
    return bits_of(&raised, by->down);
}

/* Loads eight residues of every prime, from place `at` on, or in reverse order. */
ISOPOD_AVX512_INLINE void load(__m512i out[3], const int64_t *x, const isopod64_folding *by,
                               uint32_t at, int is_reverse) {
    const __m512i reverse = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t j = 0; j < 3; j++) {
        const int64_t *row = x + (size_t)by->n * (j < by->remainders.count ? j : 0);
        __m512i residues = _mm512_loadu_si512(row + at);
        out[j] = is_reverse ? _mm512_permutexvar_epi64(reverse, residues) : residues;
    }
}

static ISOPOD_AVX512 uint64_t fold(int64_t *x, const isopod64_folding *by) {
    const constants with = constants_of(by);
    __m512i seen = _mm512_setzero_si512(), residues[3];
    for (uint32_t k = 8; k < by->n / 2; k += 8) {
        load(residues, x, by, k, 0);
        integers low = value_of(residues, by->remainders.count, &with);
        load(residues, x, by, by->n - k - 7, 1);
        integers high = value_of(residues, by->remainders.count, &with);
        integers d = subtract(low, &high, 0xff), raised = add(d, &with.range);
        for (uint32_t i = 0; i < 3; i++) {
            seen = _mm512_or_si512(seen, _mm512_and_si512(raised.words[i], with.above.words[i]));
        }
        _mm512_storeu_si512(x + k, scaled(&d, &by->scaling));
    }
    return (uint64_t)_mm512_reduce_or_epi64(seen);
}

uint32_t isopod_native_fold64(int64_t *x, const isopod64_folding *by, uint64_t *refused) {
    if (by->has_words32 || !isopod_has_avx512()) {
        return 0;
    }
    for (uint32_t k = 0; k < 8; k++) {
        *refused |= isopod64_fold_at(x, k, by);
    }
    *refused |= fold(x, by);
    return 1;
}

#endif
