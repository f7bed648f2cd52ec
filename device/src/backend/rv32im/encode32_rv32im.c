/* The encoder of real slots for 32-bit messages (spec/ckks.md, section 4) for RV32IM, by high and
 * low halves of products: a rounded product / 2^32 is mulh plus the top bit of mul. Bit-identical
 * to encode_template.h. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../encode/encode.h"

#include "../../encode/float32.h"
#include "../../encode/values.h"

#define FRACTION_BITS 30

#define INLINE static inline __attribute__((always_inline))

typedef struct {
    int32_t re, im;
} complex_word;

INLINE int32_t high_word(int32_t a, int32_t b) {
    return (int32_t)(((int64_t)a * b) >> 32);
}

/* a*b/2^32, rounded */
INLINE int32_t rounded(int32_t a, int32_t b) {
    return high_word(a, b) + (int32_t)((uint32_t)a * (uint32_t)b >> 31);
}

/* A root of unity with its negated imaginary part. */
typedef struct {
    int32_t re, im, minus_im;
} root;

/* exp(-i*pi*index/n), 0 <= index < 3n/2, from the quarter wave cos(pi*i/n), i <= n/2. */
static root unit_root(const int32_t *cosine, uint32_t n, uint32_t index) {
    uint32_t half = n / 2;
    if (index <= half) {
        return (root){cosine[index], -cosine[half - index], cosine[half - index]};
    }
    if (index <= n) {
        return (root){-cosine[n - index], -cosine[index - half], cosine[index - half]};
    }
    return (root){-cosine[index - n], cosine[n + half - index], -cosine[n + half - index]};
}

/* unit_root for index <= n/2. */
INLINE root first_quarter(const int32_t *cosine, uint32_t n, uint32_t index) {
    int32_t sine = cosine[n / 2 - index];
    return (root){cosine[index], -sine, sine};
}

/* x*w/4 */
INLINE complex_word turn(complex_word x, root w) {
    return (complex_word){rounded(x.re, w.re) + rounded(x.im, w.minus_im),
                          rounded(x.re, w.im) + rounded(x.im, w.re)};
}

INLINE complex_word quarter(complex_word x) {
    return (complex_word){(x.re + 2) >> 2, (x.im + 2) >> 2};
}

/* The four-point transform of a, b, c, d (spec order) written to x, x+len, x+2len, x+3len. */
INLINE void four_points(complex_word *x, uint32_t len, const complex_word in[4]) {
    complex_word s = {in[0].re + in[1].re, in[0].im + in[1].im};
    complex_word u = {in[0].re - in[1].re, in[0].im - in[1].im};
    complex_word p = {in[2].re + in[3].re, in[2].im + in[3].im};
    complex_word r = {in[2].re - in[3].re, in[2].im - in[3].im};
    x[0] = (complex_word){s.re + p.re, s.im + p.im};
    x[len] = (complex_word){u.re + r.im, u.im - r.re};
    x[2 * len] = (complex_word){s.re - p.re, s.im - p.im};
    x[3 * len] = (complex_word){u.re - r.im, u.im + r.re};
}

static void radix2_pass(complex_word *x, uint32_t points) {
    for (const complex_word *end = x + points; x != end; x += 2) {
        complex_word a = {(x[0].re + 1) >> 1, (x[0].im + 1) >> 1};
        complex_word b = {(x[1].re + 1) >> 1, (x[1].im + 1) >> 1};
        x[0] = (complex_word){a.re + b.re, a.im + b.im};
        x[1] = (complex_word){a.re - b.re, a.im - b.im};
    }
}

/* Offset 0 of a pass: the roots are 1, and a rounded quarter is what a product with 2^30 gives. */
static void plain_butterflies(complex_word *x, uint32_t points, uint32_t len) {
    for (const complex_word *end = x + points; x < end; x += 4 * len) {
        complex_word in[4] = {quarter(x[0]), quarter(x[len]), quarter(x[2 * len]),
                              quarter(x[3 * len])};
        four_points(x, len, in);
    }
}

static void butterflies(complex_word *x, uint32_t points, uint32_t len, const root roots[3]) {
    const root w0 = roots[0], w1 = roots[1], w2 = roots[2];
    for (const complex_word *end = x + points; x < end; x += 4 * len) {
        complex_word in[4] = {quarter(x[0]), turn(x[len], w1), turn(x[2 * len], w0),
                              turn(x[3 * len], w2)};
        four_points(x, len, in);
    }
}

static void transform(complex_word *x, const int32_t *cosine, uint32_t n) {
    uint32_t points = n / 4, len = 1;
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, points);
        len = 2;
    }
    for (; len < points; len *= 4) {
        plain_butterflies(x, points, len);
        for (uint32_t t = 1; t < len; t++) {
            uint32_t step = n / (2 * len) * t;
            const root roots[3] = {first_quarter(cosine, n, step), unit_root(cosine, n, 2 * step),
                                   unit_root(cosine, n, 3 * step)};
            butterflies(x + t, points, len, roots);
        }
    }
}

typedef struct {
    uint32_t low;
    int32_t high;
} product;

INLINE product add_product(product sum, int32_t a, int32_t b) {
    uint32_t low = (uint32_t)a * (uint32_t)b;
    sum.low += low;
    sum.high += high_word(a, b) + (int32_t)isopod_ct_barrier(sum.low < low); /* no branch */
    return sum;
}

INLINE product dot(int32_t a, int32_t b, int32_t c, int32_t d) {
    product sum = {(uint32_t)a * (uint32_t)b, high_word(a, b)};
    return add_product(sum, c, d);
}

/* product / 2^30, rounded */
INLINE int32_t fraction(product x) {
    uint32_t low = x.low + ((uint32_t)1 << 29);
    uint32_t top = (uint32_t)x.high + isopod_ct_barrier(low < x.low);
    return (int32_t)(top << 2 | low >> 30);
}

/* floor(x / 2^(32 + f) + offset / 2^32) */
INLINE int32_t rounded_sum(product x, uint32_t offset, unsigned f) {
    const uint32_t low = x.low + (offset << f);
    const uint32_t carry = isopod_ct_barrier(low < x.low); /* no branch */
    return (int32_t)((uint32_t)x.high + (offset >> 1 >> (31u - f)) + carry) >> f;
}

/* m_k and m_{n/2-k} from y = (a + b) * w, exact; a + b may need one bit more than a word has.
 * minus_im of the sum is that of y. */
INLINE complex_word untwist(const complex_word a, const complex_word b, root w,
                            const uint32_t offsets[2], unsigned f) {
    product re = dot(a.re, w.re, a.im, w.minus_im);
    product minus_im = dot(a.re, w.minus_im, -a.im, w.re);
    re = add_product(add_product(re, b.re, w.re), b.im, w.minus_im);
    minus_im = add_product(add_product(minus_im, b.re, w.minus_im), -b.im, w.re);
    return (complex_word){rounded_sum(re, offsets[0], f), rounded_sum(minus_im, offsets[1], f)};
}

/* For 1 <= k < M/2, where every index lies in the first quarter wave. */
INLINE void untwist_pair(complex_word *low, complex_word *top, const root w[3],
                         const uint32_t offsets[4], unsigned f) {
    complex_word s = {low->re + top->re, low->im - top->im};
    complex_word d = {low->re - top->re, low->im + top->im};
    int32_t q_re = fraction(dot(d.re, w[0].re, d.im, w[0].minus_im));
    int32_t q_im = fraction(dot(d.re, w[0].im, d.im, w[0].re));
    *low = untwist(s, (complex_word){q_im, -q_re}, w[1], offsets, f);
    *top = untwist((complex_word){s.re, -s.im}, (complex_word){-q_im, -q_re}, w[2], offsets + 2, f);
}

INLINE void offsets_of(uint32_t offsets[4], const isopod_dither *dither, uint32_t word) {
    for (unsigned turn = 0; turn < 4; turn++) {
        offsets[turn] = isopod_dither_at(dither, word, turn);
    }
}

/* Doubles the inputs at k = 0 and k = M/2, which the specification halves once less than others. */
static void post_twist(complex_word *x, const int32_t *cosine, uint32_t n,
                       const isopod_dither *dither) {
    const uint32_t m = n / 4;
    const unsigned f = dither->shift;
    uint32_t offsets[4];
    offsets_of(offsets, dither, 0);
    complex_word first = x[0], middle = {x[m / 2].re, -x[m / 2].im};
    product sum = dot(first.re, cosine[0], first.im, cosine[0]);
    product difference = dot(first.re, cosine[m], -first.im, cosine[m]);
    sum = add_product(add_product(sum, first.re, cosine[0]), first.im, cosine[0]);
    difference = add_product(add_product(difference, first.re, cosine[m]), -first.im, cosine[m]);
    x[0] = (complex_word){rounded_sum(sum, offsets[0], f), rounded_sum(difference, offsets[1], f)};
    x[m / 2] = untwist(middle, middle, unit_root(cosine, n, m / 2), offsets + 2, f);
    for (uint32_t k = 1; k < m / 2; k++) {
        const root w[3] = {first_quarter(cosine, n, 4 * k), first_quarter(cosine, n, k),
                           first_quarter(cosine, n, m - k)};
        offsets_of(offsets, dither, k);
        untwist_pair(x + k, x + m - k, w, offsets, f);
    }
}

/* The seven bits of an index in reverse order. */
#define TWO(x) x, x + 64
#define FOUR(x) TWO(x), TWO(x + 32)
#define EIGHT(x) FOUR(x), FOUR(x + 16)
#define SIXTEEN(x) EIGHT(x), EIGHT(x + 8)
#define THIRTY_TWO(x) SIXTEEN(x), SIXTEEN(x + 4)
static const uint8_t reversed[128] = {THIRTY_TWO(0), THIRTY_TWO(2), THIRTY_TWO(1), THIRTY_TWO(3)};

/* The word of exponent e = 3^j mod 2n. */
INLINE uint32_t place_of(uint32_t e, uint32_t n, uint32_t unused_bits) {
    uint32_t folded = (e & 2u) != 0 ? 2 * n - e : e;
    uint32_t pair = folded >> 3;
    uint32_t at = ((uint32_t)reversed[pair & 127u] << 7 | reversed[pair >> 7]) >> unused_bits;
    return 2 * at + (folded >> 2 & 1u);
}

/* 3^(n/4) = n + 1 mod 2n, so that slot j + n/4 lies two words from slot j: i and i + n/4 differ in
 * the highest bit of the pair, which is the lowest of its place. */
static void load_all_floats(int32_t *words, const uint32_t *values,
                            const isopod_encoding *encoding) {
    const uint32_t n = 1u << encoding->log2_ring_degree, e_mask = 2 * n - 1;
    const uint32_t unused_bits = 16u - encoding->log2_ring_degree;
    const int32_t fraction_bits = FRACTION_BITS - encoding->log2_bound;
    uint32_t e = 1;
    for (const uint32_t *end = values + n / 4; values != end; values++, e = 3 * e & e_mask) {
        uint32_t place = place_of(e, n, unused_bits);
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
        words[place_of(e, n, 16u - encoding->log2_ring_degree)] = isopod_value_fixed32(
            values, j & encoding->index_mask, FRACTION_BITS - encoding->log2_bound);
    }
}

static void load(int32_t *words, const isopod_values *values, const isopod_encoding *encoding) {
    if (values->type == ISOPOD_VALUES_FLOAT32 &&
        values->count == 1u << (encoding->log2_ring_degree - 1)) {
        load_all_floats(words, values->data, encoding);
    } else {
        load_any(words, values, encoding);
    }
}

void isopod_encode32(int32_t *message, const int32_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding) {
    uint32_t n = 1u << encoding->log2_ring_degree;
    unsigned f = (unsigned)(FRACTION_BITS - encoding->log2_scale - encoding->log2_bound);
    load(message, values, encoding);
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
