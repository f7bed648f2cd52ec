/* The encoder for one word width. The including file defines WORD, WIDTH, QUARTER, DOT, ADD, ROUND, ENCODE and LOAD.
 * Names follow spec/ckks.md, section 4, where the absence of overflow is shown. */

#define FRACTION (WIDTH - 2)

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

/* All butterflies of a pass whose twiddles are 1. */
static void plain_butterflies(complex_word *x, uint32_t points, uint32_t len) {
    for (uint32_t p = 0; p < points; p += 4 * len) {
        complex_word in[4] = {quarter(x[p]), quarter(x[p + len]), quarter(x[p + 2 * len]),
                              quarter(x[p + 3 * len])};
        four_points(x + p, len, in);
    }
}

static void turned_butterflies(complex_word *x, uint32_t points, uint32_t len,
                               const complex_word w[3]) {
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
        plain_butterflies(x, points, len);
        for (uint32_t t = 1; t < len; t++) {
            uint32_t step = n / (2 * len) * t;
            complex_word w[3] = {unit_root(cosine, n, step), unit_root(cosine, n, 2 * step),
                                 unit_root(cosine, n, 3 * step)};
            turned_butterflies(x + t, points, len, w);
        }
    }
}

/* m_k and m_{n/2-k} from y = v * root. */
static inline complex_word untwist(complex_word v, complex_word root, unsigned shift) {
    complex_word m = {ROUND(DOT(v.re, root.re, -v.im, root.im), shift),
                      ROUND(DOT(-v.re, root.im, -v.im, root.re), shift)};
    return m;
}

/* The same for v = a + b, whose words may need one bit more than there is. */
static inline complex_word untwist_sum(complex_word a, complex_word b, complex_word root,
                                       unsigned shift) {
    complex_word m = {ROUND(ADD(DOT(a.re, root.re, -a.im, root.im),
                                DOT(b.re, root.re, -b.im, root.im)), shift),
                      ROUND(ADD(DOT(-a.re, root.im, -a.im, root.re),
                                DOT(-b.re, root.im, -b.im, root.re)), shift)};
    return m;
}

static void untwist_pair(complex_word *x, const WORD *cosine, uint32_t n, uint32_t k, unsigned f) {
    complex_word *low = x + k, *high = x + (n / 4 - k);
    complex_word s = {low->re + high->re, low->im - high->im};
    complex_word d = {low->re - high->re, low->im + high->im};
    complex_word t = unit_root(cosine, n, 4 * k);
    WORD q_re = ROUND(DOT(d.re, t.re, -d.im, t.im), FRACTION);
    WORD q_im = ROUND(DOT(d.re, t.im, d.im, t.re), FRACTION);
    complex_word turned = {q_im, -q_re}; /* -i*q */
    complex_word s_conjugate = {s.re, -s.im}, turned_conjugate = {-q_im, -q_re};
    *low = untwist_sum(s, turned, unit_root(cosine, n, k), WIDTH + f);
    *high = untwist_sum(s_conjugate, turned_conjugate, unit_root(cosine, n, n / 4 - k), WIDTH + f);
}

static void post_twist(complex_word *x, const WORD *cosine, uint32_t n, unsigned f) {
    uint32_t m = n / 4;
    complex_word first = x[0], middle = {x[m / 2].re, -x[m / 2].im};
    x[0].re = ROUND(DOT(first.re, cosine[0], first.im, cosine[0]), WIDTH - 1 + f);
    x[0].im = ROUND(DOT(first.re, cosine[m], -first.im, cosine[m]), WIDTH - 1 + f);
    for (uint32_t k = 1; k < m / 2; k++) {
        untwist_pair(x, cosine, n, k, f);
    }
    x[m / 2] = untwist(middle, unit_root(cosine, n, m / 2), WIDTH - 1 + f);
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
        words[2 * at + (i & 1u)] = (WORD)isopod_value_fixed(values, j, FRACTION - encoding->log2_bound);
    }
}

void ENCODE(WORD *message, const WORD *cosine, const isopod_values *values,
            const isopod_encoding *encoding) {
    uint32_t n = 1u << encoding->log2_ring_degree;
    unsigned f = (unsigned)(FRACTION - encoding->log2_scale - encoding->log2_bound);
    load(message, values, encoding);
    transform((complex_word *)message, cosine, n);
    post_twist((complex_word *)message, cosine, n, f);
}

/* Quarter by quarter of the coefficients; at each quarter's start the packed layout has its exceptions. */
void LOAD(const WORD *message, uint32_t n, uint32_t first, WORD out[ISOPOD_FOLD_BLOCK]) {
    uint32_t m = n / 4, t = first & (m - 1);
    switch (first / m) {
    case 0:
        for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
            out[i] = message[2 * (t + i)];
        }
        break;
    case 1:
        for (uint32_t i = t == 0; i < ISOPOD_FOLD_BLOCK; i++) {
            out[i] = message[2 * (m - t - i) + 1];
        }
        break;
    case 2:
        for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
            out[i] = -message[2 * (t + i) + 1];
        }
        break;
    default:
        for (uint32_t i = t == 0; i < ISOPOD_FOLD_BLOCK; i++) {
            out[i] = -message[2 * (m - t - i)];
        }
        break;
    }
    if (t == 0 && first != 0) {
        const WORD exceptions[3] = {message[1], 0, -message[1]};
        out[0] = exceptions[first / m - 1];
    }
}
