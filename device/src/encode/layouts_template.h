/* Encoders of complex slots and of coefficients for one word size. The including file defines WORD,
 * PRODUCT, FRACTION_BITS, VALUE, QUARTER, DOT, ADD, ROUND, and REDUCE(word, prime), |result| < 1.3
 * q. Names follow spec/ckks.md, section 4. */

#define RAISE(word) (word)
#define LOWER(word, bits) (((word) + ((WORD)1 << ((bits)-1))) >> (bits))
#define BEFORE_PASS(words, count) 0u
#include "fft_template.h"

static void load_points(complex_word *points, const isopod_values *values,
                        const isopod_encoding *encoding) {
    uint32_t n = UINT32_C(1) << encoding->log2_ring_degree, e = 1;
    int32_t fraction_bits = FRACTION_BITS - encoding->log2_bound;
    for (uint32_t i = 0; i < n / 2; i++) {
        points[i] = (complex_word){0, 0};
    }
    for (uint32_t j = 0; j < encoding->filled; j++, e = 3 * e & (2 * n - 1)) {
        uint32_t value = 2 * (j & encoding->index_mask);
        uint32_t folded = (e & 2u) != 0 ? 2 * n - e : e;
        complex_word z = {VALUE(values, value, fraction_bits),
                          VALUE(values, value + 1, fraction_bits)};
        z.im = (e & 2u) != 0 ? -z.im : z.im;
        points[isopod_bit_reverse((folded - 1) / 4, encoding->log2_ring_degree - 1u)] = z;
    }
}

/* sum / 2^(FRACTION_BITS + f), rounded; four times the sum fits. */
static inline WORD rounded(PRODUCT sum, unsigned f, uint32_t offset) {
    PRODUCT twice = ADD(sum, sum);
    return ROUND(ADD(twice, twice), f, offset);
}

static void encode_complex(void *message, const void *cosine, const isopod_values *values,
                           const isopod_encoding *encoding) {
    complex_word *x = message;
    uint32_t n = UINT32_C(1) << encoding->log2_ring_degree;
    unsigned f = (unsigned)(FRACTION_BITS - encoding->log2_scale - encoding->log2_bound);
    load_points(x, values, encoding);
    (void)transform(x, cosine, n, n / 2);
    const isopod_dither dither = isopod_dither_draw(encoding->dither, n / 4, f);
    for (uint32_t k = 0; k < n / 2; k++) {
        complex_word root = unit_root(cosine, n, k), point = x[k];
        uint32_t turn = 2 * (k & 1u);
        x[k].re = rounded(DOT(point.re, root.re, -point.im, root.im), f,
                          isopod_dither_at(&dither, k / 2, turn));
        x[k].im = rounded(DOT(point.re, root.im, point.im, root.re), f,
                          isopod_dither_at(&dither, k / 2, turn + 1));
    }
}

static void encode_coefficients(void *message, const void *cosine, const isopod_values *values,
                                const isopod_encoding *encoding) {
    WORD *words = message;
    (void)cosine;
    for (uint32_t i = 0; i < UINT32_C(1) << encoding->log2_ring_degree; i++) {
        words[i] = i < values->count ? VALUE(values, i, encoding->log2_scale) : 0;
    }
}

static void load_words(const isopod_polynomial *polynomial, uint32_t first, const WORD *at,
                       uint32_t step, int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int8_t *error = polynomial->error + first;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++, at += step) {
        out[i] = REDUCE(*at, polynomial->prime) + error[i];
    }
}

static void load_complex(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t half = polynomial->n / 2, is_upper = first >= half;
    const WORD *words = polynomial->words;
    load_words(polynomial, first, words + 2 * (size_t)(first & (half - 1)) + is_upper, 2, out);
}

static void load_coefficients(const isopod_polynomial *polynomial, uint32_t first,
                              int32_t out[ISOPOD_FOLD_BLOCK]) {
    load_words(polynomial, first, (const WORD *)polynomial->words + first, 1, out);
}
