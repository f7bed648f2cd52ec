/* The encoder of real slots for one word size: values as words, an FFT ([MAKHOUL80]), and the post
 * twist. The including file defines WORD, PRODUCT, FRACTION_BITS, VALUE, QUARTER, DOT, ADD,
 * FRACTION, ROUND, ENCODE and ADD_MESSAGE. Names follow spec/ckks.md, section 4, which shows that
 * nothing overflows. */

#define RAISE(word) (word)
#define LOWER(word, bits) (((word) + ((WORD)1 << ((bits)-1))) >> (bits))
#define BEFORE_PASS(words, count) 0u
#include "fft_template.h"

/* m_k and m_{n/2-k} from y = (a + b) * root; a + b may need one bit more than a word has. */
static inline complex_word untwist(complex_word a, complex_word b, complex_word root,
                                   const uint32_t offsets[2], unsigned f) {
    complex_word m = {
        ROUND(ADD(DOT(a.re, root.re, -a.im, root.im), DOT(b.re, root.re, -b.im, root.im)), f,
              offsets[0]),
        ROUND(ADD(DOT(-a.re, root.im, -a.im, root.re), DOT(-b.re, root.im, -b.im, root.re)), f,
              offsets[1])};
    return m;
}

static void untwist_pair(complex_word *x, const WORD *cosine, uint32_t n, uint32_t k,
                         const isopod_dither *dither) {
    const uint32_t of_low[2] = {isopod_dither_at(dither, k, 0), isopod_dither_at(dither, k, 1)};
    const uint32_t of_high[2] = {isopod_dither_at(dither, k, 2), isopod_dither_at(dither, k, 3)};
    complex_word *low = x + k, *high = x + (n / 4 - k);
    complex_word s = {low->re + high->re, low->im - high->im};
    complex_word d = {low->re - high->re, low->im + high->im};
    complex_word t = unit_root(cosine, n, 4 * k);
    WORD q_re = FRACTION(DOT(d.re, t.re, -d.im, t.im));
    WORD q_im = FRACTION(DOT(d.re, t.im, d.im, t.re));
    complex_word turned = {q_im, -q_re}; /* -i*q */
    complex_word s_conjugate = {s.re, -s.im}, turned_conjugate = {-q_im, -q_re};
    *low = untwist(s, turned, unit_root(cosine, n, k), of_low, dither->shift);
    *high = untwist(s_conjugate, turned_conjugate, unit_root(cosine, n, n / 4 - k), of_high,
                    dither->shift);
}

/* Doubles the inputs at k = 0 and k = M/2, which the specification halves once less than others. */
static void post_twist(complex_word *x, const WORD *cosine, uint32_t n,
                       const isopod_dither *dither) {
    const uint32_t of_middle[2] = {isopod_dither_at(dither, 0, 2), isopod_dither_at(dither, 0, 3)};
    const unsigned f = dither->shift;
    uint32_t m = n / 4;
    complex_word first = x[0], middle = {x[m / 2].re, -x[m / 2].im};
    PRODUCT sum = DOT(first.re, cosine[0], first.im, cosine[0]);
    PRODUCT difference = DOT(first.re, cosine[m], -first.im, cosine[m]);
    x[0].re = ROUND(ADD(sum, sum), f, isopod_dither_at(dither, 0, 0));
    x[0].im = ROUND(ADD(difference, difference), f, isopod_dither_at(dither, 0, 1));
    for (uint32_t k = 1; k < m / 2; k++) {
        untwist_pair(x, cosine, n, k, dither);
    }
    x[m / 2] = untwist(middle, middle, unit_root(cosine, n, m / 2), of_middle, f);
}

static void load(WORD *words, const isopod_values *values, const isopod_encoding *encoding) {
    uint32_t n = UINT32_C(1) << encoding->log2_ring_degree, e = 1;
    for (uint32_t i = 0; i < n / 2; i++) {
        words[i] = 0;
    }
    for (uint32_t j = 0; j < encoding->filled; j++, e = 3 * e & (2 * n - 1)) {
        uint32_t folded = (e & 2u) != 0 ? 2 * n - e : e;
        uint32_t i = (folded - 1) / 4;
        uint32_t at = isopod_bit_reverse(i >> 1, encoding->log2_ring_degree - 2u);
        words[2 * at + (i & 1u)] =
            VALUE(values, j & encoding->index_mask, FRACTION_BITS - encoding->log2_bound);
    }
}

void ENCODE(WORD *message, const WORD *cosine, const isopod_values *values,
            const isopod_encoding *encoding) {
#ifdef NATIVE_ENCODE
    if (NATIVE_ENCODE(message, cosine, values, encoding)) {
        return;
    }
#endif
    uint32_t n = UINT32_C(1) << encoding->log2_ring_degree;
    unsigned f = (unsigned)(FRACTION_BITS - encoding->log2_scale - encoding->log2_bound);
    load(message, values, encoding);
    (void)transform((complex_word *)message, cosine, n, n / 4);
    const isopod_dither dither = isopod_dither_draw(encoding->dither, n / 8, f);
    post_twist((complex_word *)message, cosine, n, &dither);
}

/* Within a quarter of the coefficients the packed words go up or down in steps of two and have one
 * sign. The first coefficient of a quarter is an exception. */
void ADD_MESSAGE(const WORD *message, uint32_t n, uint32_t first, WORD out[ISOPOD_FOLD_BLOCK]) {
    uint32_t m = n / 4, t = first & (m - 1), quarter = first / m;
    const WORD exceptions[4] = {message[0], message[1], 0, -message[1]};
    int is_down = quarter & 1u;
    const WORD *at = message + 2 * (is_down ? m - t : t) + (quarter == 1 || quarter == 2);
    WORD negate = quarter >= 2 ? -1 : 0; /* (x ^ negate) - negate */
    uint32_t i = 0;
    if (t == 0) {
        out[0] += exceptions[quarter];
        at += is_down ? -2 : 2;
        i = 1;
    }
    for (; i < ISOPOD_FOLD_BLOCK; i++, at += is_down ? -2 : 2) {
        out[i] += (*at ^ negate) - negate;
    }
}
