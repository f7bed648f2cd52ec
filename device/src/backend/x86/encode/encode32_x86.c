/* The encoder of real slots for 32-bit messages (spec/ckks.md, section 4) for AVX2, eight points at
 * a time, real and imaginary parts apart in a buffer on the stack. Names and arithmetic are those
 * of encode_template.h. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../encode/encode.h"
#include "../../../encode/fixed32.h"

#include "../../../base/memory.h"
#include "fixed_values.h"

#define FRACTION_BITS 30
/* The largest degree of this encoder. Above it the points would take more than 32 KB of stack, and
 * the portable code runs. */
#define LARGEST_LOG2_DEGREE 14u
#define LARGEST_POINTS ((1u << LARGEST_LOG2_DEGREE) / 4u)

/* im follows re directly; vector reads beyond the end of im stay within the buffer. */
typedef struct {
    const int32_t *cosine;
    uint32_t n;
    uint32_t points;
    int32_t *re;
    int32_t *im;
    uint32_t index_mask; /* of isopod_encoding */
} dct;

/* Eight points. */
typedef struct {
    __m256i re, im;
} points8;

/* Eight roots, and the odd ones once more in the places of the even ones. */
typedef struct {
    __m256i re, im, re_odd, im_odd;
} roots8;

ISOPOD_AVX2_INLINE __m256i reverse_words(__m256i x) {
    return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

/* bit_reverse.h for eight numbers of 32 bits. */
ISOPOD_AVX2_INLINE __m256i reverse_bits(__m256i x) {
    const __m128i lower = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
    const __m128i bytes = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    const __m256i nibble = _mm256_set1_epi8(15), table = _mm256_broadcastsi128_si256(lower);
    __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, nibble));
    __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi32(x, 4), nibble));
    __m256i reversed = _mm256_or_si256(_mm256_slli_epi32(low, 4), high);
    return _mm256_shuffle_epi8(reversed, _mm256_broadcastsi128_si256(bytes));
}

/* The places of eight slots: 3^(n/8) = 1 + n/2 mod 2n, so slots j + s*n/8, s = 0..3, go to v_i, i +
 * s*n/8 mod n/2. Bit-reversed, these are four neighbours, turned by the upper two bits of the
 * index. */
typedef struct {
    uint32_t at[8];   /* of the four, from re on */
    uint32_t turn[8]; /* times 16 */
} places;

ISOPOD_AVX2_INLINE void find_places(places *out, __m256i e, const dct *work) {
    const __m256i full = _mm256_set1_epi32((int)(2 * work->n));
    const uint32_t bits = (uint32_t)__builtin_ctz(work->points) - 2u;
    __m256 other = _mm256_castsi256_ps(_mm256_sub_epi32(full, e));
    __m256 is_other = _mm256_castsi256_ps(_mm256_slli_epi32(e, 30));
    __m256i folded = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(e), other, is_other));
    __m256i i = _mm256_srli_epi32(folded, 2), t = _mm256_srli_epi32(i, 1);
    __m256i low = _mm256_and_si256(t, _mm256_set1_epi32((int)(work->points / 4 - 1)));
    __m256i reversed = _mm256_srl_epi32(reverse_bits(low), _mm_cvtsi32_si128((int)(32u - bits)));
    __m256i part = _mm256_and_si256(i, _mm256_set1_epi32(1));
    __m256i offset = _mm256_mullo_epi32(part, _mm256_set1_epi32((int)work->points));
    isopod_store(out->at, _mm256_add_epi32(_mm256_slli_epi32(reversed, 2), offset));
    __m256i upper = _mm256_srl_epi32(t, _mm_cvtsi32_si128((int)bits));
    isopod_store(out->turn, _mm256_slli_epi32(upper, 4));
}

/* Word l of four takes value number brv(l) - turn mod 4. */
#define BYTES_OF(s) (4 * ((s)&3)), (4 * ((s)&3)) + 1, (4 * ((s)&3)) + 2, (4 * ((s)&3)) + 3
#define TURNED(t) BYTES_OF(4 - (t)), BYTES_OF(6 - (t)), BYTES_OF(5 - (t)), BYTES_OF(7 - (t))
static const uint8_t turned[64] = {TURNED(0), TURNED(1), TURNED(2), TURNED(3)};

static uint32_t value_bytes(isopod_value_type type) {
    return type == ISOPOD_VALUES_FLOAT64 ? 8 : 4;
}

/* Values index .. index + 7 as fixed-point words. After the last value come zeros or, if their
 * number is a power of two, the values from the first one on. */
ISOPOD_AVX2_INLINE __m256i fixed_or_zero(const isopod_values *values, uint32_t index,
                                         int32_t fraction_bits, isopod_value_type type,
                                         uint32_t index_mask) {
    const uint32_t bytes = value_bytes(type), first = index & index_mask;
    const uint8_t *at = (const uint8_t *)values->data + (size_t)first * bytes;
    if (first + 8 <= values->count) {
        return isopod_fixed_eight(at, type, fraction_bits);
    }
    uint64_t some[8] = {0};
    uint32_t left = first < values->count ? values->count - first : 0;
    uint32_t copied = index_mask == UINT32_MAX ? left : 8;
    for (uint32_t i = 0; i < copied && left != 0; i += left) {
        isopod_copy((uint8_t *)some + (size_t)i * bytes, at, (size_t)left * bytes);
    }
    return isopod_fixed_eight(some, type, fraction_bits);
}

/* Stores eight slots and those n/8, n/4 and 3n/8 after them. */
ISOPOD_AVX2_INLINE void scatter(int32_t *re, const __m256i v[4], const places *to) {
    __m256i low01 = _mm256_unpacklo_epi32(v[0], v[1]), high01 = _mm256_unpackhi_epi32(v[0], v[1]);
    __m256i low23 = _mm256_unpacklo_epi32(v[2], v[3]), high23 = _mm256_unpackhi_epi32(v[2], v[3]);
    const __m256i fours[4] = {
        _mm256_unpacklo_epi64(low01, low23), _mm256_unpackhi_epi64(low01, low23),
        _mm256_unpacklo_epi64(high01, high23), _mm256_unpackhi_epi64(high01, high23)};
#pragma GCC unroll 16
    for (unsigned i = 0; i < 8; i++) {
        __m128i four =
            i < 4 ? _mm256_castsi256_si128(fours[i]) : _mm256_extracti128_si256(fours[i - 4], 1);
        __m128i order = _mm_loadu_si128((const __m128i_u *)(const void *)(turned + to->turn[i]));
        _mm_storeu_si128((__m128i_u *)(void *)(re + to->at[i]), _mm_shuffle_epi8(four, order));
    }
}

ISOPOD_AVX2_INLINE void load_slots(const dct *work, const isopod_values *values,
                                   int32_t fraction_bits, isopod_value_type type) {
    const __m256i step = _mm256_set1_epi32(6561), mask = _mm256_set1_epi32((int)(2 * work->n - 1));
    const uint32_t stride = work->n / 8;
    __m256i e = _mm256_setr_epi32(1, 3, 9, 27, 81, 243, 729, 2187);
    for (uint32_t j = 0; j < stride; j += 8) {
        places to;
        __m256i v[4];
        find_places(&to, _mm256_and_si256(e, mask), work);
#pragma GCC unroll 16
        for (uint32_t s = 0; s < 4; s++) {
            v[s] = fixed_or_zero(values, j + s * stride, fraction_bits, type, work->index_mask);
        }
        scatter(work->re, v, &to);
        e = _mm256_and_si256(_mm256_mullo_epi32(e, step), mask);
    }
}

ISOPOD_AVX2_APART void load_values(const dct *work, const isopod_values *values,
                                   int32_t fraction_bits) {
    switch (values->type) {
    case ISOPOD_VALUES_FLOAT32:
        load_slots(work, values, fraction_bits, ISOPOD_VALUES_FLOAT32);
        break;
    case ISOPOD_VALUES_FLOAT64:
        load_slots(work, values, fraction_bits, ISOPOD_VALUES_FLOAT64);
        break;
    default:
        load_slots(work, values, fraction_bits, ISOPOD_VALUES_INT32);
    }
}

ISOPOD_AVX2_INLINE __m256i gather(const int32_t *from, __m256i index) {
    return _mm256_i32gather_epi32(from, index, 4);
}

/* value or -value, as `negative` is zero or all ones */
ISOPOD_AVX2_INLINE __m256i signed_by(__m256i value, __m256i negative) {
    return _mm256_sub_epi32(_mm256_xor_si256(value, negative), negative);
}

/* T(index), 0 <= index < 3n/2 (unit_root). */
ISOPOD_AVX2_INLINE roots8 roots_at(const dct *work, __m256i index) {
    const __m256i n = _mm256_set1_epi32((int)work->n), half = _mm256_set1_epi32((int)work->n / 2);
    __m256i from_n = _mm256_abs_epi32(_mm256_sub_epi32(n, index));
    __m256i from_half = _mm256_abs_epi32(_mm256_sub_epi32(half, index));
    __m256i to_end = _mm256_sub_epi32(_mm256_add_epi32(n, half), index);
    __m256i re = gather(work->cosine, _mm256_min_epi32(index, from_n));
    __m256i im = gather(work->cosine, _mm256_min_epi32(from_half, to_end));
    roots8 roots;
    roots.re = signed_by(re, _mm256_cmpgt_epi32(index, half));
    roots.im = signed_by(im, _mm256_cmpgt_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(1)), index));
    roots.re_odd = isopod_odd(roots.re);
    roots.im_odd = isopod_odd(roots.im);
    return roots;
}

/* x*w/4: the products are rounded each by itself, so only their high words are added. */
ISOPOD_AVX2_INLINE points8 turn8(points8 x, const roots8 *w) {
    const __m256i half = _mm256_set1_epi64x(0x80000000);
    __m256i re_odd = isopod_odd(x.re), im_odd = isopod_odd(x.im);
    __m256i even = _mm256_add_epi32(_mm256_add_epi64(_mm256_mul_epi32(x.re, w->re), half),
                                    _mm256_sub_epi64(half, _mm256_mul_epi32(x.im, w->im)));
    __m256i odd = _mm256_add_epi32(_mm256_add_epi64(_mm256_mul_epi32(re_odd, w->re_odd), half),
                                   _mm256_sub_epi64(half, _mm256_mul_epi32(im_odd, w->im_odd)));
    points8 y;
    y.re = isopod_high_words(even, odd);
    even = _mm256_add_epi32(_mm256_add_epi64(_mm256_mul_epi32(x.re, w->im), half),
                            _mm256_add_epi64(_mm256_mul_epi32(x.im, w->re), half));
    odd = _mm256_add_epi32(_mm256_add_epi64(_mm256_mul_epi32(re_odd, w->im_odd), half),
                           _mm256_add_epi64(_mm256_mul_epi32(im_odd, w->re_odd), half));
    y.im = isopod_high_words(even, odd);
    return y;
}

ISOPOD_AVX2_INLINE points8 quarter8(points8 x) {
    const __m256i two = _mm256_set1_epi32(2);
    points8 y = {_mm256_srai_epi32(_mm256_add_epi32(x.re, two), 2),
                 _mm256_srai_epi32(_mm256_add_epi32(x.im, two), 2)};
    return y;
}

ISOPOD_AVX2_INLINE points8 add8(points8 a, points8 b) {
    points8 sum = {_mm256_add_epi32(a.re, b.re), _mm256_add_epi32(a.im, b.im)};
    return sum;
}

ISOPOD_AVX2_INLINE points8 subtract8(points8 a, points8 b) {
    points8 difference = {_mm256_sub_epi32(a.re, b.re), _mm256_sub_epi32(a.im, b.im)};
    return difference;
}

/* four_points in place. */
ISOPOD_AVX2_INLINE void four_points8(points8 x[4]) {
    points8 s = add8(x[0], x[1]), u = subtract8(x[0], x[1]);
    points8 p = add8(x[2], x[3]), r = subtract8(x[2], x[3]);
    points8 turned_r = {r.im, _mm256_sub_epi32(_mm256_setzero_si256(), r.re)}; /* -i*r */
    x[0] = add8(s, p);
    x[1] = add8(u, turned_r);
    x[2] = subtract8(s, p);
    x[3] = subtract8(u, turned_r);
}

/* A butterfly of the passes with twiddles; w = T(J), T(2J), T(3J). */
ISOPOD_AVX2_INLINE void butterfly8(points8 x[4], const roots8 w[3]) {
    x[0] = quarter8(x[0]);
    x[1] = turn8(x[1], &w[1]);
    x[2] = turn8(x[2], &w[0]);
    x[3] = turn8(x[3], &w[2]);
    four_points8(x);
}

/* The twiddles of a pass for eight offsets t. */
ISOPOD_AVX2_INLINE void pass_roots(roots8 w[3], const dct *work, uint32_t len, __m256i t) {
    __m256i step = _mm256_mullo_epi32(t, _mm256_set1_epi32((int)(work->n / (2 * len))));
    w[0] = roots_at(work, step);
    w[1] = roots_at(work, _mm256_add_epi32(step, step));
    w[2] = roots_at(work, _mm256_add_epi32(_mm256_add_epi32(step, step), step));
}

ISOPOD_AVX2_INLINE points8 load8(const dct *work, uint32_t at) {
    points8 x = {isopod_load(work->re + at), isopod_load(work->im + at)};
    return x;
}

ISOPOD_AVX2_INLINE void store8(const dct *work, uint32_t at, points8 x) {
    isopod_store(work->re + at, x.re);
    isopod_store(work->im + at, x.im);
}

ISOPOD_AVX2_APART void long_pass(const dct *work, uint32_t len) {
    __m256i t = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint32_t first = 0; first < len; first += 8) {
        roots8 w[3];
        pass_roots(w, work, len, t);
        for (uint32_t p = first; p < work->points; p += 4 * len) {
            points8 x[4];
#pragma GCC unroll 16
            for (unsigned i = 0; i < 4; i++) {
                x[i] = load8(work, p + i * len);
            }
            butterfly8(x, w);
#pragma GCC unroll 16
            for (unsigned i = 0; i < 4; i++) {
                store8(work, p + i * len, x[i]);
            }
        }
        t = _mm256_add_epi32(t, _mm256_set1_epi32(8));
    }
}

/* Transposes four rows of four words in either half of the vectors. */
ISOPOD_AVX2_INLINE void transpose_halves(__m256i v[4]) {
    __m256i low01 = _mm256_unpacklo_epi32(v[0], v[1]), high01 = _mm256_unpackhi_epi32(v[0], v[1]);
    __m256i low23 = _mm256_unpacklo_epi32(v[2], v[3]), high23 = _mm256_unpackhi_epi32(v[2], v[3]);
    v[0] = _mm256_unpacklo_epi64(low01, low23);
    v[1] = _mm256_unpackhi_epi64(low01, low23);
    v[2] = _mm256_unpacklo_epi64(high01, high23);
    v[3] = _mm256_unpackhi_epi64(high01, high23);
}

ISOPOD_AVX2_INLINE void turn_rows(points8 x[4], void (*transpose)(__m256i *)) {
    __m256i re[4] = {x[0].re, x[1].re, x[2].re, x[3].re};
    __m256i im[4] = {x[0].im, x[1].im, x[2].im, x[3].im};
    transpose(re);
    transpose(im);
#pragma GCC unroll 16
    for (unsigned i = 0; i < 4; i++) {
        x[i] = (points8){re[i], im[i]};
    }
}

ISOPOD_AVX2_INLINE __m256i two_fours(const int32_t *low, const int32_t *high) {
    __m128i first = _mm_loadu_si128((const __m128i_u *)(const void *)low);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first),
                                   _mm_loadu_si128((const __m128i_u *)(const void *)high), 1);
}

ISOPOD_AVX2_INLINE void store_fours(int32_t *low, int32_t *high, __m256i x) {
    _mm_storeu_si128((__m128i_u *)(void *)low, _mm256_castsi256_si128(x));
    _mm_storeu_si128((__m128i_u *)(void *)high, _mm256_extracti128_si256(x, 1));
}

/* The passes with len = 1 and len = 4 on two blocks of sixteen points. */
ISOPOD_AVX2_APART void first_passes_even(const dct *work) {
    roots8 w[3];
    pass_roots(w, work, 4, _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3));
    for (uint32_t p = 0; p < work->points; p += 32) {
        points8 x[4];
        int32_t *re = work->re + p, *im = work->im + p;
#pragma GCC unroll 16
        for (unsigned i = 0; i < 4; i++) {
            x[i].re = two_fours(re + 4 * i, re + 16 + 4 * i);
            x[i].im = two_fours(im + 4 * i, im + 16 + 4 * i);
            x[i] = quarter8(x[i]);
        }
        turn_rows(x, transpose_halves);
        four_points8(x);
        turn_rows(x, transpose_halves);
        butterfly8(x, w);
#pragma GCC unroll 16
        for (unsigned i = 0; i < 4; i++) {
            store_fours(re + 4 * i, re + 16 + 4 * i, x[i].re);
            store_fours(im + 4 * i, im + 16 + 4 * i, x[i].im);
        }
    }
}

/* The radix-2 pass on neighbours. */
ISOPOD_AVX2_INLINE __m256i halve_pairs(__m256i x) {
    __m256i half = _mm256_srai_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(1)), 1);
    __m256i other = _mm256_shuffle_epi32(half, 0xb1);
    return _mm256_blend_epi32(_mm256_add_epi32(half, other), _mm256_sub_epi32(other, half), 0xaa);
}

/* The radix-2 pass and the pass with len = 2, on four blocks of eight points. */
ISOPOD_AVX2_APART void first_passes_odd(const dct *work) {
    roots8 w[3];
    pass_roots(w, work, 2, _mm256_setr_epi32(0, 1, 0, 1, 0, 1, 0, 1));
    for (uint32_t p = 0; p < work->points; p += 32) {
        points8 x[4];
#pragma GCC unroll 16
        for (unsigned i = 0; i < 4; i++) {
            x[i] = load8(work, p + 8 * i);
            x[i] = (points8){halve_pairs(x[i].re), halve_pairs(x[i].im)};
        }
        turn_rows(x, isopod_transpose_pairs);
        butterfly8(x, w);
        turn_rows(x, isopod_transpose_pairs);
#pragma GCC unroll 16
        for (unsigned i = 0; i < 4; i++) {
            store8(work, p + 8 * i, x[i]);
        }
    }
}

static ISOPOD_AVX2 void fourier(const dct *work) {
    uint32_t len = 16;
    if ((work->points & 0xaaaaaaaau) != 0) {
        first_passes_odd(work);
        len = 8;
    } else {
        first_passes_even(work);
    }
    for (; len < work->points; len *= 4) {
        long_pass(work, len);
    }
}

/* 64-bit numbers of even and of odd words. */
typedef struct {
    __m256i even, odd;
} split;

ISOPOD_AVX2_INLINE split split_of(__m256i x) {
    return (split){x, isopod_odd(x)};
}

ISOPOD_AVX2_INLINE split plus_product(split sum, split a, split b) {
    return (split){_mm256_add_epi64(sum.even, _mm256_mul_epi32(a.even, b.even)),
                   _mm256_add_epi64(sum.odd, _mm256_mul_epi32(a.odd, b.odd))};
}

ISOPOD_AVX2_INLINE split minus_product(split sum, split a, split b) {
    return (split){_mm256_sub_epi64(sum.even, _mm256_mul_epi32(a.even, b.even)),
                   _mm256_sub_epi64(sum.odd, _mm256_mul_epi32(a.odd, b.odd))};
}

ISOPOD_AVX2_INLINE split constant(int64_t value) {
    return (split){_mm256_set1_epi64x(value), _mm256_set1_epi64x(value)};
}

/* isopod_fraction32 of sums that already contain half of 2^30; only the lower words count. */
ISOPOD_AVX2_INLINE split fraction(split sum) {
    return (split){_mm256_srli_epi64(sum.even, 30), _mm256_srli_epi64(sum.odd, 30)};
}

ISOPOD_AVX2_INLINE split load_split(const int32_t *at) {
    return split_of(isopod_load(at));
}

ISOPOD_AVX2_INLINE split load_reversed(const int32_t *last) {
    return split_of(reverse_words(isopod_load(last - 7)));
}

/* m_k and m_{n/2-k} as neighbours. */
ISOPOD_AVX2_INLINE void store_neighbours(int32_t *at, __m256i first, __m256i second) {
    __m256i low = _mm256_unpacklo_epi32(first, second), high = _mm256_unpackhi_epi32(first, second);
    isopod_store(at, _mm256_permute2x128_si256(low, high, 0x20));
    isopod_store(at + 8, _mm256_permute2x128_si256(low, high, 0x31));
}

/* The four offsets of each of eight words. */
typedef struct {
    __m256i turn[4];
} offsets8;

ISOPOD_AVX2_INLINE offsets8 offsets_of(const isopod_dither *dither, uint32_t first) {
    const __m256i half = _mm256_set1_epi32(INT32_MIN);
    if (dither->words == NULL) {
        return (offsets8){{half, half, half, half}};
    }
    const __m256i word = isopod_load(dither->words + first);
    return (offsets8){{word,
                       _mm256_or_si256(_mm256_srli_epi32(word, 8), _mm256_slli_epi32(word, 24)),
                       _mm256_or_si256(_mm256_srli_epi32(word, 16), _mm256_slli_epi32(word, 16)),
                       _mm256_or_si256(_mm256_srli_epi32(word, 24), _mm256_slli_epi32(word, 8))}};
}

/* Offsets times 2^f. */
ISOPOD_AVX2_INLINE split raised(__m256i offsets, __m128i shift) {
    const __m256i even = _mm256_and_si256(offsets, _mm256_set1_epi64x(UINT32_MAX));
    return (split){_mm256_sll_epi64(even, shift),
                   _mm256_sll_epi64(_mm256_srli_epi64(offsets, 32), shift)};
}

/* untwist_pair for k .. k+7: 16 words of the message from 2k on go to `low`, those from 2(M-k-7) on
 * to `high`. With the roots T(4k) = (c4, -s4), T(k) = (c, -s) and T(M-k) = (d, -r). */
ISOPOD_AVX2_INLINE void untwist8(int32_t *low, int32_t *high, const dct *work, uint32_t k,
                                 const isopod_dither *dither) {
    const int32_t *cosine = work->cosine;
    const uint32_t m = work->points;
    const __m256i numbers = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const __m128i shift = _mm_cvtsi32_si128((int)dither->shift);
    const offsets8 offsets = offsets_of(dither, k);
    points8 x = load8(work, k);
    points8 y = {reverse_words(isopod_load(work->re + m - k - 7)),
                 reverse_words(isopod_load(work->im + m - k - 7))};
    split s_re = split_of(_mm256_add_epi32(x.re, y.re)),
          s_im = split_of(_mm256_sub_epi32(x.im, y.im));
    split d_re = split_of(_mm256_sub_epi32(x.re, y.re)),
          d_im = split_of(_mm256_add_epi32(x.im, y.im));
    split c4 = split_of(gather(cosine + 4 * k, numbers));
    split s4 =
        split_of(gather(cosine + 2 * m - 4 * k, _mm256_sub_epi32(_mm256_setzero_si256(), numbers)));
    const split half = constant((int64_t)1 << 29);
    split q_re = fraction(plus_product(plus_product(half, d_re, c4), d_im, s4));
    split q_im = fraction(minus_product(plus_product(half, d_im, c4), d_re, s4));
    split c = load_split(cosine + k), s = load_reversed(cosine + 2 * m - k);
    split d = load_reversed(cosine + m - k), r = load_split(cosine + m + k);

    split a = plus_product(plus_product(raised(offsets.turn[0], shift), s_re, c), s_im, s);
    a = minus_product(plus_product(a, q_im, c), q_re, s);
    split b = minus_product(plus_product(raised(offsets.turn[1], shift), s_re, s), s_im, c);
    b = plus_product(plus_product(b, q_im, s), q_re, c);
    store_neighbours(low, _mm256_sra_epi32(isopod_high_words(a.even, a.odd), shift),
                     _mm256_sra_epi32(isopod_high_words(b.even, b.odd), shift));

    a = minus_product(plus_product(raised(offsets.turn[2], shift), s_re, d), s_im, r);
    a = minus_product(minus_product(a, q_im, d), q_re, r);
    b = plus_product(plus_product(raised(offsets.turn[3], shift), s_re, r), s_im, d);
    b = plus_product(minus_product(b, q_im, r), q_re, d);
    a.even = _mm256_sra_epi32(isopod_high_words(a.even, a.odd), shift);
    b.even = _mm256_sra_epi32(isopod_high_words(b.even, b.odd), shift);
    store_neighbours(high, reverse_words(a.even), reverse_words(b.even));
}

/* Computes k = 1..7 and their partners; the outcome for k = 0 is dropped. */
ISOPOD_AVX2_APART void untwist_first(int32_t *message, const dct *work,
                                     const isopod_dither *dither) {
    int32_t low[16], high[16];
    untwist8(low, high, work, 0, dither);
#pragma GCC unroll 16
    for (unsigned i = 2; i < 16; i++) {
        message[i] = low[i];
        message[2 * work->points - 16 + i] = high[i - 2];
    }
}

/* The word of 2 * dot, k = 0 or M/2, by offset number `turn`. */
static int32_t exception(int64_t dot, const isopod_dither *dither, unsigned turn) {
    return isopod_round32(dot + dot, dither->shift, isopod_dither_at(dither, 0, turn));
}

/* k = 0 and k = M/2, as in post_twist. */
static void untwist_exceptions(int32_t *message, const dct *work, const isopod_dither *dither) {
    const uint32_t m = work->points;
    const int32_t first_re = work->re[0], first_im = work->im[0];
    const int32_t re = work->re[m / 2], im = work->im[m / 2];
    const int32_t cosine = work->cosine[m / 2], sine = work->cosine[m + m / 2];
    message[0] =
        exception(isopod_dot32(first_re, work->cosine[0], first_im, work->cosine[0]), dither, 0);
    message[1] =
        exception(isopod_dot32(first_re, work->cosine[m], -first_im, work->cosine[m]), dither, 1);
    message[m] = exception(isopod_dot32(re, cosine, -im, sine), dither, 2);
    message[m + 1] = exception(isopod_dot32(re, sine, im, cosine), dither, 3);
}

ISOPOD_AVX2_APART void untwist_all(int32_t *message, const dct *work, const isopod_dither *dither) {
    const uint32_t m = work->points;
    untwist_first(message, work, dither);
    for (uint32_t k = 8; k < m / 2; k += 8) {
        untwist8(message + 2 * k, message + 2 * (m - k - 7), work, k, dither);
    }
    untwist_exceptions(message, work, dither);
}

static ISOPOD_AVX2 void encode(int32_t *message, const int32_t *cosine, const isopod_values *values,
                               const isopod_encoding *encoding) {
    int32_t words[2 * LARGEST_POINTS + 8];
    const uint32_t n = 1u << encoding->log2_ring_degree;
    const dct work = {cosine, n, n / 4, words, words + n / 4, encoding->index_mask};
    isopod_store(words + n / 2, _mm256_setzero_si256());
    load_values(&work, values, FRACTION_BITS - encoding->log2_bound);
    fourier(&work);
    const isopod_dither dither =
        isopod_dither_draw(encoding->dither, n / 8,
                           (unsigned)(FRACTION_BITS - encoding->log2_scale - encoding->log2_bound));
    untwist_all(message, &work, &dither);
    isopod_wipe_stack();
    isopod_wipe(words, (n / 2 + 8) * sizeof *words);
}

uint32_t isopod_native_encode32(int32_t *message, const int32_t *cosine,
                                const isopod_values *values, const isopod_encoding *encoding) {
    if (!isopod_has_avx2() || encoding->log2_ring_degree > LARGEST_LOG2_DEGREE ||
        values->type == ISOPOD_VALUES_READ) {
        return 0;
    }
    encode(message, cosine, values, encoding);
    return 1;
}

#endif
