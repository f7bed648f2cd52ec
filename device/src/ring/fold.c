/* The first log2(chunks) layers of the NTT of one chunk (spec/ckks.md, section 5) as a weighted sum
 * of the polynomial's parts. Bounds are in ntt.h and polynomial.h. */
#include "montgomery.h"
#include "polynomial.h"

/* The weight of a part is the product of the twiddles of the layers in whose upper half it lies. */
void isopod_fold_weights(isopod_word weights[8], const isopod_ntt *ntt, isopod_word first) {
    const isopod_word_prime *prime = ntt->prime;
    uint32_t chunks = ntt->chunks, chunk = ntt->chunk, log2_half = 0;
    weights[0] = first;
    for (uint32_t half = 1; half < chunks; half *= 2, log2_half++) {
        isopod_word twiddle = ntt->twiddles[(chunks >> log2_half >> 1) + (chunk >> log2_half >> 1)];
        twiddle = (chunk >> log2_half & 1u) != 0 ? -twiddle : twiddle;
        for (uint32_t p = 0; p < half; p++) {
            isopod_word weight = isopod_montgomery(weights[p], twiddle, prime);
            weights[half + p] = isopod_centred(weight, prime);
        }
    }
}

static void fold_block(isopod_word *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt,
                       const isopod_word weights[8], uint32_t first) {
    isopod_word part[ISOPOD_FOLD_BLOCK];
    polynomial->load(polynomial, first, out);
    for (uint32_t p = 1; p < ntt->chunks; p++) {
        polynomial->load(polynomial, first + p * ntt->length, part);
        isopod_ntt_fold(out, part, weights[p], ntt->prime);
    }
}

void isopod_polynomial_fold(isopod_word *out, const isopod_polynomial *polynomial,
                            const isopod_ntt *ntt) {
    isopod_word weights[8];
    isopod_fold_weights(weights, ntt, isopod_montgomery_one(ntt->prime));
    for (uint32_t first = 0; first < ntt->length; first += ISOPOD_FOLD_BLOCK) {
        fold_block(out + first, polynomial, ntt, weights, first);
    }
}
