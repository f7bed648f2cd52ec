/* The encoder for one word width. The including file defines WORD, PRODUCT, FRACTION_BITS, VALUE,
 * QUARTER, DOT, ADD, FRACTION, ROUND, ENCODE and ADD_MESSAGE. Names follow spec/ckks.md, section 4,
 * where the absence of overflow is shown. */

typedef struct {
    WORD re, im;
} complex_word;

/* T(index) = exp(-i*pi*index/n), 0 <= index < 3n/2, from the quarter wave cos(pi*i/n), i <= n/2. */
static complex_word unit_root(const WORD *cosine, uint32_t n, uint32_t index) {
    uint32_t half = n / 2;
    complex_word root;
    if (index <= half) {
        root.re = cosine[index];
        root.im = -cosine[half - index];
    } else if (index <= n) {
        root.re = -cosine[n - index];
        root.im = -cosine[index - half];
    } else {
        root.re = -cosine[index - n];
        root.im = cosine[n + half - index];
    }
    return root;
}

/* x*w/4 */
static inline complex_word turn(complex_word x, complex_word w) {
    complex_word y = {QUARTER(x.re, w.re) + QUARTER(-x.im, w.im),
                      QUARTER(x.re, w.im) + QUARTER(x.im, w.re)};
    return y;
}

static inline complex_word quarter(complex_word x) {
    complex_word y = {(x.re + 2) >> 2, (x.im + 2) >> 2};
    return y;
}

/* The four-point transform of a, b, c, d (spec order) written to x, x+len, x+2len, x+3len. */
static inline void four_points(complex_word *x, uint32_t len, const complex_word in[4]) {
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
    for (uint32_t p = 0; p < points; p += 2) {
        complex_word a = {(x[p].re + 1) >> 1, (x[p].im + 1) >> 1};
        complex_word b = {(x[p + 1].re + 1) >> 1, (x[p + 1].im + 1) >> 1};
        x[p] = (complex_word){a.re + b.re, a.im + b.im};
        x[p + 1] = (complex_word){a.re - b.re, a.im - b.im};
    }
}

/* The butterflies of a pass at offset t in their blocks; at t = 0 the twiddles are exactly 1. */
static void butterflies(complex_word *x, uint32_t points, uint32_t len, const complex_word w[3]) {
    for (uint32_t p = 0; p < points; p += 4 * len) {
        complex_word in[4] = {quarter(x[p]), turn(x[p + len], w[1]), turn(x[p + 2 * len], w[0]),
                              turn(x[p + 3 * len], w[2])};
        four_points(x + p, len, in);
    }
}

static void transform(complex_word *x, const WORD *cosine, uint32_t n) {
    uint32_t points = n / 4, len = 1;
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, points);
        len = 2;
    }
    for (; len < points; len *= 4) {
        for (uint32_t t = 0; t < len; t++) {
            uint32_t step = n / (2 * len) * t;
            const complex_word w[3] = {unit_root(cosine, n, step), unit_root(cosine, n, 2 * step),
                                       unit_root(cosine, n, 3 * step)};
            butterflies(x + t, points, len, w);
        }
    }
}

/* m_k and m_{n/2-k} from y = (a + b) * root; a + b may need one bit more than a word has. */
static complex_word untwist(complex_word a, complex_word b, complex_word root, unsigned f) {
    complex_word m = {
        ROUND(ADD(DOT(a.re, root.re, -a.im, root.im), DOT(b.re, root.re, -b.im, root.im)), f),
        ROUND(ADD(DOT(-a.re, root.im, -a.im, root.re), DOT(-b.re, root.im, -b.im, root.re)), f)};
    return m;
}

static void untwist_pair(complex_word *x, const WORD *cosine, uint32_t n, uint32_t k, unsigned f) {
    complex_word *low = x + k, *high = x + (n / 4 - k);
    complex_word s = {low->re + high->re, low->im - high->im};
    complex_word d = {low->re - high->re, low->im + high->im};
    complex_word t = unit_root(cosine, n, 4 * k);
    WORD q_re = FRACTION(DOT(d.re, t.re, -d.im, t.im));
    WORD q_im = FRACTION(DOT(d.re, t.im, d.im, t.re));
    complex_word turned = {q_im, -q_re}; /* -i*q */
    complex_word s_conjugate = {s.re, -s.im}, turned_conjugate = {-q_im, -q_re};
    *low = untwist(s, turned, unit_root(cosine, n, k), f);
    *high = untwist(s_conjugate, turned_conjugate, unit_root(cosine, n, n / 4 - k), f);
}

/* What the specification halves once less, at k = 0 and k = M/2, is doubled first. */
static void post_twist(complex_word *x, const WORD *cosine, uint32_t n, unsigned f) {
    uint32_t m = n / 4;
    complex_word first = x[0], middle = {x[m / 2].re, -x[m / 2].im};
    PRODUCT sum = DOT(first.re, cosine[0], first.im, cosine[0]);
    PRODUCT difference = DOT(first.re, cosine[m], -first.im, cosine[m]);
    x[0].re = ROUND(ADD(sum, sum), f);
    x[0].im = ROUND(ADD(difference, difference), f);
    for (uint32_t k = 1; k < m / 2; k++) {
        untwist_pair(x, cosine, n, k, f);
    }
    x[m / 2] = untwist(middle, middle, unit_root(cosine, n, m / 2), f);
}

static void load(WORD *words, const isopod_values *values, const isopod_encoding *encoding) {
    uint32_t n = 1u << encoding->log2_ring_degree, e = 1;
    for (uint32_t i = 0; i < n / 2; i++) {
        words[i] = 0;
    }
    for (uint32_t j = 0; j < values->count; j++, e = 3 * e & (2 * n - 1)) {
        uint32_t folded = (e & 2u) != 0 ? 2 * n - e : e;
        uint32_t i = (folded - 1) / 4;
        uint32_t at = isopod_bit_reverse(i >> 1, encoding->log2_ring_degree - 2u);
        words[2 * at + (i & 1u)] = VALUE(values, j, FRACTION_BITS - encoding->log2_bound);
    }
}

void ENCODE(WORD *message, const WORD *cosine, const isopod_values *values,
            const isopod_encoding *encoding) {
    uint32_t n = 1u << encoding->log2_ring_degree;
    unsigned f = (unsigned)(FRACTION_BITS - encoding->log2_scale - encoding->log2_bound);
    load(message, values, encoding);
    transform((complex_word *)message, cosine, n);
    post_twist((complex_word *)message, cosine, n, f);
}

/* In each quarter of the coefficients the packed words run up or down in steps of two, with one
 * sign; its first coefficient is an exception. */
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
