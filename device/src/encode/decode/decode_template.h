/* The decoder of real slots for one word size. The including file defines WORD, BOUND_BITS, FOLDED
 * and its FOLDED_WORD, QUARTER, DOT, FRACTION and DECODE. Names follow spec/decryption.md, section
 * 2, which shows that nothing overflows. */

/* Not zero if a word is out of range. Eva (proofs/values) keeps words in range apart from those
 * below and above it. */
static uint32_t out_of_range(const WORD *words, uint32_t count) {
    uint64_t seen = 0;
    //@ dynamic_split seen == 0;
    //@ dynamic_split seen < 8;
    //@ loop unroll count;
    for (uint32_t i = 0; i < count; i++) {
        //@ split words[i] < -((WORD)1 << (BOUND_BITS + 1));
        //@ split words[i] < (WORD)1 << (BOUND_BITS + 1);
        seen |= (uint64_t)(words[i] + ((WORD)1 << (BOUND_BITS + 1))) >> (BOUND_BITS + 2);
    }
    return (uint32_t)(seen >> 32) | (uint32_t)seen;
}

/* Clears words that would overflow in the next pass. */
static uint32_t refuse(WORD *words, uint32_t count) {
    uint32_t refused = out_of_range(words, count);
    ISOPOD_DECLASSIFY(refused);
    if (refused != 0) {
        isopod_wipe(words, count * sizeof *words);
    }
    return refused;
}

#define RAISE(word) ((word)*4)
#define LOWER(word, bits) ((void)(bits), (word))
#define BEFORE_PASS(words, count) refuse(words, count)
#include "../fft_template.h"

/* x * conj(w) */
static inline complex_word times_conjugate(complex_word x, complex_word w) {
    complex_word y = {FRACTION(DOT(x.re, w.re, x.im, w.im)),
                      FRACTION(DOT(x.im, w.re, -x.re, w.im))};
    return y;
}

/* V of one k */
static inline complex_word twisted(FOLDED_WORD *folded, const WORD *cosine, uint32_t n,
                                   uint32_t k) {
    complex_word a = {FOLDED(folded, n, k), -FOLDED(folded, n, n / 2 - k)};
    return times_conjugate(a, unit_root(cosine, n, k));
}

/* Stores X_k with its parts exchanged, so that the forward transform does the inverse one. */
static inline void put(complex_word *points, uint32_t n, uint32_t k, complex_word x) {
    uint32_t log2_points = 0;
    while (n / 4 >> log2_points > 1) {
        log2_points++;
    }
    points[isopod_bit_reverse(k, log2_points)] = (complex_word){x.im, x.re};
}

static void pre_twist(complex_word *points, FOLDED_WORD *folded, const WORD *cosine, uint32_t n) {
    uint32_t m = n / 4;
    WORD zeroth = FOLDED(folded, n, 0);
    WORD upper = FRACTION(DOT(FOLDED(folded, n, m), cosine[m], FOLDED(folded, n, m), cosine[m]));
    complex_word middle = twisted(folded, cosine, n, m / 2);
    put(points, n, 0, (complex_word){zeroth + upper, zeroth - upper});
    put(points, n, m / 2, (complex_word){2 * middle.re, -2 * middle.im});
    for (uint32_t k = 1; k < m / 2; k++) {
        complex_word low = twisted(folded, cosine, n, k), high = twisted(folded, cosine, n, m - k);
        complex_word s = {low.re + high.re, low.im - high.im};
        complex_word y = {low.re - high.re, low.im + high.im};
        complex_word r = times_conjugate(y, unit_root(cosine, n, 4 * k));
        put(points, n, k, (complex_word){s.re - r.im, s.im + r.re});
        put(points, n, m - k, (complex_word){s.re + r.im, r.re - s.im});
    }
}

uint32_t DECODE(WORD *words, FOLDED_WORD *folded, const WORD *cosine, uint32_t n) {
    pre_twist((complex_word *)words, folded, cosine, n);
    uint32_t refused = transform((complex_word *)words, cosine, n, n / 4);
    return refused | refuse(words, n / 2);
}
