/* The encoder of real slots for 32-bit messages (spec/ckks.md, section 4) for NEON, four complex
 * numbers at a time. Half of the rounded doubled high half of a product is its rounded high half:
 * floor((floor(2p / 2^32) + 1) / 2) = floor((p + 2^31) / 2^32). Bit-identical to encode_template.h,
 * whose last step is the same. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../encode/encode.h"

#include <arm_neon.h>

#include "../../encode/fixed32.h"
#include "../../encode/float32.h"
#include "../../encode/values.h"

#define FRACTION_BITS 30
#define INLINE static inline __attribute__((always_inline))

typedef struct {
    int32_t re, im;
} complex_word;

/* exp(-i*pi*index/n), 0 <= index < 3n/2, from the quarter wave cos(pi*i/n), i <= n/2. */
static complex_word unit_root(const int32_t *cosine, uint32_t n, uint32_t index) {
    uint32_t half = n / 2;
    if (index <= half) {
        return (complex_word){cosine[index], -cosine[half - index]};
    }
    if (index <= n) {
        return (complex_word){-cosine[n - index], -cosine[index - half]};
    }
    return (complex_word){-cosine[index - n], cosine[n + half - index]};
}

/* x*w/4 */
INLINE int32x4x2_t turn(int32x4x2_t x, int32x4x2_t w) {
    const int32x4_t minus_im = vnegq_s32(w.val[1]);
    const int32x4_t re = vrshrq_n_s32(vqdmulhq_s32(x.val[0], w.val[0]), 1);
    const int32x4_t im = vrshrq_n_s32(vqdmulhq_s32(x.val[0], w.val[1]), 1);
    const int32x4x2_t y = {{vrsraq_n_s32(re, vqdmulhq_s32(x.val[1], minus_im), 1),
                            vrsraq_n_s32(im, vqdmulhq_s32(x.val[1], w.val[0]), 1)}};
    return y;
}

INLINE int32x4x2_t quarter(int32x4x2_t x) {
    const int32x4x2_t y = {{vrshrq_n_s32(x.val[0], 2), vrshrq_n_s32(x.val[1], 2)}};
    return y;
}

INLINE int32x4x2_t plus(int32x4x2_t a, int32x4x2_t b) {
    const int32x4x2_t y = {{vaddq_s32(a.val[0], b.val[0]), vaddq_s32(a.val[1], b.val[1])}};
    return y;
}

INLINE int32x4x2_t minus(int32x4x2_t a, int32x4x2_t b) {
    const int32x4x2_t y = {{vsubq_s32(a.val[0], b.val[0]), vsubq_s32(a.val[1], b.val[1])}};
    return y;
}

/* The four-point transform of a, b, c, d (spec order), in place. */
INLINE void four_points(int32x4x2_t x[4]) {
    const int32x4x2_t s = plus(x[0], x[1]), u = minus(x[0], x[1]);
    const int32x4x2_t p = plus(x[2], x[3]), r = minus(x[2], x[3]);
    const int32x4x2_t turned = {{r.val[1], vnegq_s32(r.val[0])}}; /* -i*r */
    x[0] = plus(s, p), x[1] = plus(u, turned);
    x[2] = minus(s, p), x[3] = minus(u, turned);
}

static void radix2_pass(complex_word *x, uint32_t points) {
    for (uint32_t p = 0; p < points; p += 2) {
        complex_word a = {(x[p].re + 1) >> 1, (x[p].im + 1) >> 1};
        complex_word b = {(x[p + 1].re + 1) >> 1, (x[p + 1].im + 1) >> 1};
        x[p] = (complex_word){a.re + b.re, a.im + b.im};
        x[p + 1] = (complex_word){a.re - b.re, a.im - b.im};
    }
}

/* Four complex numbers in a row as their real and imaginary parts. */
INLINE int32x4x2_t load_four(const complex_word *x) {
    return vld2q_s32(&x->re);
}

INLINE void store_four(complex_word *x, int32x4x2_t parts) {
    vst2q_s32(&x->re, parts);
}

INLINE void transpose(int32x4x2_t x[4]) {
    for (unsigned part = 0; part < 2; part++) {
        const int32x4x2_t even = vtrnq_s32(x[0].val[part], x[1].val[part]);
        const int32x4x2_t odd = vtrnq_s32(x[2].val[part], x[3].val[part]);
        x[0].val[part] = vcombine_s32(vget_low_s32(even.val[0]), vget_low_s32(odd.val[0]));
        x[1].val[part] = vcombine_s32(vget_low_s32(even.val[1]), vget_low_s32(odd.val[1]));
        x[2].val[part] = vcombine_s32(vget_high_s32(even.val[0]), vget_high_s32(odd.val[0]));
        x[3].val[part] = vcombine_s32(vget_high_s32(even.val[1]), vget_high_s32(odd.val[1]));
    }
}

/* The pass with len = 1: four blocks of four neighbours, one block per lane. */
static void first_pass(complex_word *x, uint32_t points) {
    for (const complex_word *end = x + points; x != end; x += 16) {
        int32x4x2_t four[4];
#pragma GCC unroll 8
        for (unsigned i = 0; i < 4; i++) {
            four[i] = quarter(load_four(x + 4 * i));
        }
        transpose(four);
        four_points(four);
        transpose(four);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 4; i++) {
            store_four(x + 4 * i, four[i]);
        }
    }
}

INLINE complex_word turn_one(complex_word x, complex_word w) {
    complex_word y = {isopod_quarter32(x.re, w.re) + isopod_quarter32(-x.im, w.im),
                      isopod_quarter32(x.re, w.im) + isopod_quarter32(x.im, w.re)};
    return y;
}

static void four_points_of_two(complex_word *x, const complex_word w[3]) {
    complex_word a = {(x[0].re + 2) >> 2, (x[0].im + 2) >> 2};
    complex_word b = turn_one(x[2], w[1]), c = turn_one(x[4], w[0]), d = turn_one(x[6], w[2]);
    complex_word s = {a.re + b.re, a.im + b.im}, u = {a.re - b.re, a.im - b.im};
    complex_word p = {c.re + d.re, c.im + d.im}, r = {c.re - d.re, c.im - d.im};
    x[0] = (complex_word){s.re + p.re, s.im + p.im};
    x[2] = (complex_word){u.re + r.im, u.im - r.re};
    x[4] = (complex_word){s.re - p.re, s.im - p.im};
    x[6] = (complex_word){u.re - r.im, u.im + r.re};
}

/* The pass with len = 2, after a radix-2 pass: two offsets. */
static void pass_of_two(complex_word *x, const int32_t *cosine, uint32_t n) {
#pragma GCC unroll 8
    for (uint32_t t = 0; t < 2; t++) {
        const complex_word w[3] = {unit_root(cosine, n, n / 4 * t), unit_root(cosine, n, n / 2 * t),
                                   unit_root(cosine, n, n / 4 * 3 * t)};
        for (uint32_t p = t; p < n / 4; p += 8) {
            four_points_of_two(x + p, w);
        }
    }
}

static int32x4x2_t four_roots(const int32_t *cosine, uint32_t n, uint32_t first, uint32_t step) {
    complex_word roots[4];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 4; i++) {
        roots[i] = unit_root(cosine, n, first + i * step);
    }
    return load_four(roots);
}

/* Offsets t .. t+3 of a pass. */
static void butterflies(complex_word *x, uint32_t points, uint32_t len, const int32x4x2_t w[3]) {
    for (const complex_word *end = x + points; x < end; x += 4 * len) {
        int32x4x2_t four[4] = {quarter(load_four(x)), turn(load_four(x + len), w[1]),
                               turn(load_four(x + 2 * len), w[0]),
                               turn(load_four(x + 3 * len), w[2])};
        four_points(four);
#pragma GCC unroll 8
        for (unsigned i = 0; i < 4; i++) {
            store_four(x + i * len, four[i]);
        }
    }
}

static void transform(complex_word *x, const int32_t *cosine, uint32_t n) {
    uint32_t points = n / 4, len = 4;
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, points);
        pass_of_two(x, cosine, n);
        len = 8;
    } else {
        first_pass(x, points);
    }
    for (; len < points; len *= 4) {
        for (uint32_t t = 0; t < len; t += 4) {
            uint32_t step = n / (2 * len);
            const int32x4x2_t w[3] = {four_roots(cosine, n, step * t, step),
                                      four_roots(cosine, n, 2 * step * t, 2 * step),
                                      four_roots(cosine, n, 3 * step * t, 3 * step)};
            butterflies(x + t, points, len, w);
        }
    }
}

/* m_k and m_{n/2-k} from y = (a + b) * root; a + b may need one bit more than a word has. */
INLINE complex_word untwist(complex_word a, complex_word b, complex_word root,
                            const uint32_t offsets[2], unsigned f) {
    complex_word m = {isopod_round32(isopod_dot32(a.re, root.re, -a.im, root.im) +
                                         isopod_dot32(b.re, root.re, -b.im, root.im),
                                     f, offsets[0]),
                      isopod_round32(isopod_dot32(-a.re, root.im, -a.im, root.re) +
                                         isopod_dot32(-b.re, root.im, -b.im, root.re),
                                     f, offsets[1])};
    return m;
}

/* For k <= M/2 all roots lie in the first quarter wave. */
INLINE complex_word first_quarter(const int32_t *cosine, uint32_t n, uint32_t index) {
    return (complex_word){cosine[index], -cosine[n / 2 - index]};
}

INLINE void untwist_pair(complex_word *x, const int32_t *cosine, uint32_t n, uint32_t k,
                         const isopod_dither *dither) {
    const uint32_t of_low[2] = {isopod_dither_at(dither, k, 0), isopod_dither_at(dither, k, 1)};
    const uint32_t of_high[2] = {isopod_dither_at(dither, k, 2), isopod_dither_at(dither, k, 3)};
    complex_word *low = x + k, *high = x + (n / 4 - k);
    complex_word s = {low->re + high->re, low->im - high->im};
    complex_word d = {low->re - high->re, low->im + high->im};
    complex_word t = first_quarter(cosine, n, 4 * k);
    int32_t q_re = isopod_fraction32(isopod_dot32(d.re, t.re, -d.im, t.im));
    int32_t q_im = isopod_fraction32(isopod_dot32(d.re, t.im, d.im, t.re));
    complex_word turned = {q_im, -q_re}; /* -i*q */
    complex_word s_conjugate = {s.re, -s.im}, turned_conjugate = {-q_im, -q_re};
    *low = untwist(s, turned, first_quarter(cosine, n, k), of_low, dither->shift);
    *high = untwist(s_conjugate, turned_conjugate, first_quarter(cosine, n, n / 4 - k), of_high,
                    dither->shift);
}

/* Doubles the inputs at k = 0 and k = M/2, which the specification halves once less than others. */
static void post_twist(complex_word *x, const int32_t *cosine, uint32_t n,
                       const isopod_dither *dither) {
    const uint32_t of_middle[2] = {isopod_dither_at(dither, 0, 2), isopod_dither_at(dither, 0, 3)};
    const unsigned f = dither->shift;
    uint32_t m = n / 4;
    complex_word first = x[0], middle = {x[m / 2].re, -x[m / 2].im};
    int64_t sum = isopod_dot32(first.re, cosine[0], first.im, cosine[0]);
    int64_t difference = isopod_dot32(first.re, cosine[m], -first.im, cosine[m]);
    x[0].re = isopod_round32(sum + sum, f, isopod_dither_at(dither, 0, 0));
    x[0].im = isopod_round32(difference + difference, f, isopod_dither_at(dither, 0, 1));
    for (uint32_t k = 1; k < m / 2; k++) {
        untwist_pair(x, cosine, n, k, dither);
    }
    x[m / 2] = untwist(middle, middle, first_quarter(cosine, n, m / 2), of_middle, f);
}

INLINE uint32_t reversed(uint32_t value, uint32_t bits) {
#if defined(__aarch64__)
    __asm__("rbit %w0, %w1" : "=r"(value) : "r"(value));
#else
    __asm__("rbit %0, %1" : "=r"(value) : "r"(value));
#endif
    return value >> (32 - bits);
}

/* The word of exponent e = 3^j mod 2n. */
INLINE uint32_t place_of(uint32_t e, uint32_t log2_degree) {
    uint32_t folded = (e & 2u) != 0 ? (2u << log2_degree) - e : e;
    return 2 * reversed(folded >> 3, log2_degree - 2) + (folded >> 2 & 1u);
}

/* 3^(n/4) = n + 1 mod 2n, so that slot j + n/4 lies two words from slot j. */
static void load_all_floats(int32_t *words, const uint32_t *values,
                            const isopod_encoding *encoding) {
    const uint32_t log2_degree = encoding->log2_ring_degree, n = 1u << log2_degree;
    const int32_t fraction_bits = FRACTION_BITS - encoding->log2_bound;
    uint32_t e = 1;
    for (const uint32_t *end = values + n / 4; values != end; values++, e = 3 * e & (2 * n - 1)) {
        uint32_t place = place_of(e, log2_degree);
        int32_t first = isopod_float32_fixed(values[0], fraction_bits);
        words[place] = first;
        words[place ^ 2u] = isopod_float32_fixed(values[n / 4], fraction_bits);
    }
}

static void load_any(int32_t *words, const isopod_values *values, const isopod_encoding *encoding) {
    const uint32_t n = 1u << encoding->log2_ring_degree;
    for (uint32_t i = 0; i < n / 2; i++) {
        words[i] = 0;
    }
    for (uint32_t j = 0, e = 1; j < encoding->filled; j++, e = 3 * e & (2 * n - 1)) {
        words[place_of(e, encoding->log2_ring_degree)] = isopod_value_fixed32(
            values, j & encoding->index_mask, FRACTION_BITS - encoding->log2_bound);
    }
}

void isopod_encode32(int32_t *message, const int32_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding) {
    uint32_t n = 1u << encoding->log2_ring_degree;
    unsigned f = (unsigned)(FRACTION_BITS - encoding->log2_scale - encoding->log2_bound);
    if (values->type == ISOPOD_VALUES_FLOAT32 && values->count == n / 2) {
        load_all_floats(message, values->data, encoding);
    } else {
        load_any(message, values, encoding);
    }
    transform((complex_word *)message, cosine, n);
    const isopod_dither dither = isopod_dither_draw(encoding->dither, n / 8, f);
    post_twist((complex_word *)message, cosine, n, &dither);
}

/* Within a quarter of the coefficients the packed words go up or down in steps of two and have one
 * sign. The first coefficient of a quarter is an exception. */
void isopod_message32_add(const int32_t *message, uint32_t n, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t m = n / 4, t = first & (m - 1), quarter = first / m;
    const int32_t exceptions[4] = {message[0], message[1], 0, -message[1]};
    int is_down = quarter & 1u;
    const int32_t *at = message + 2 * (is_down ? m - t : t) + (quarter == 1 || quarter == 2);
    int32_t sign = quarter >= 2 ? -1 : 1;
    uint32_t i = 0;
    if (t == 0) {
        out[0] += exceptions[quarter];
        at += is_down ? -2 : 2;
        i = 1;
    }
    for (; i < ISOPOD_FOLD_BLOCK; i++, at += is_down ? -2 : 2) {
        out[i] += sign * *at;
    }
}

#endif
