/* The fixed-point FFT of encoder and decoder for one word size. The including file defines WORD,
 * QUARTER, and three operations that differ between encoder and decoder:
 *   RAISE(word)        a factor of a product before it is divided by 4
 *   LOWER(word, bits)  an input of a pass that no product changes
 *   BEFORE_PASS(x, n)  checks the n inputs of a pass; not zero if they are refused
 * Names follow spec/ckks.md, section 4. */

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

/* RAISE(x)*w/4 */
static inline complex_word turn(complex_word x, complex_word w) {
    complex_word y = {QUARTER(RAISE(x.re), w.re) + QUARTER(RAISE(-x.im), w.im),
                      QUARTER(RAISE(x.re), w.im) + QUARTER(RAISE(x.im), w.re)};
    return y;
}

static inline complex_word lower(complex_word x, unsigned bits) {
    complex_word y = {LOWER(x.re, bits), LOWER(x.im, bits)};
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
        complex_word a = lower(x[p], 1), b = lower(x[p + 1], 1);
        x[p] = (complex_word){a.re + b.re, a.im + b.im};
        x[p + 1] = (complex_word){a.re - b.re, a.im - b.im};
    }
}

/* The butterflies of the pass whose twiddles are all 1. */
static void first_butterflies(complex_word *x, uint32_t points) {
    for (uint32_t p = 0; p < points; p += 4) {
        complex_word in[4] = {lower(x[p], 2), lower(x[p + 1], 2), lower(x[p + 2], 2),
                              lower(x[p + 3], 2)};
        four_points(x + p, 1, in);
    }
}

/* The butterflies of a pass at offset t in their blocks. */
static void butterflies(complex_word *x, uint32_t points, uint32_t len, const complex_word w[3]) {
    for (uint32_t p = 0; p < points; p += 4 * len) {
        complex_word in[4] = {lower(x[p], 2), turn(x[p + len], w[1]), turn(x[p + 2 * len], w[0]),
                              turn(x[p + 3 * len], w[2])};
        four_points(x + p, len, in);
    }
}

static void pass(complex_word *x, const WORD *cosine, uint32_t n, uint32_t points, uint32_t len) {
    for (uint32_t t = 0; t < len; t++) {
        uint32_t step = n / (2 * len) * t;
        const complex_word w[3] = {unit_root(cosine, n, step), unit_root(cosine, n, 2 * step),
                                   unit_root(cosine, n, 3 * step)};
        butterflies(x + t, points, len, w);
    }
}

/* Transforms n/4 or n/2 points. Zero unless the inputs of a pass were refused. */
static uint32_t transform(complex_word *x, const WORD *cosine, uint32_t n, uint32_t points) {
    uint32_t len = 4, refused = BEFORE_PASS(&x->re, 2 * points);
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, points);
        len = 2;
    } else {
        first_butterflies(x, points);
    }
    for (; len < points; len *= 4) {
        refused |= BEFORE_PASS(&x->re, 2 * points);
        pass(x, cosine, n, points, len);
    }
    return refused;
}
