/* The inverse NTT modulo a 64-bit prime for Armv7-M, layer by layer (words64.S). Representatives
 * are unsigned, and a sum of two may be twice as large. If it could exceed 2^63, the half of the
 * block that holds sums is reduced first. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/inverse_ntt.h"

#include "words64.h"

static void make_positive(int64_t *x, const isopod_ntt *ntt) {
    for (const int64_t *end = x + ntt->length; x != end; x++) {
        *x = (int64_t)isopod_canonical(*x, ntt->prime);
    }
}

/* factor * x / R, canonical. */
static void scale(int64_t *x, uint32_t count, int64_t factor, const isopod_prime64 *prime) {
    isopod64_words with = {isopod_canonical(factor, prime),
                           prime->modulus,
                           0u - (uint32_t)prime->inverse,
                           x + count,
                           NULL,
                           0};
    isopod64_scale_words(x, &with);
}

/* The first half of each block of 2 * half values. */
static void reduce_sums(int64_t *x, const isopod_ntt *ntt, uint32_t half) {
    int64_t one = isopod_montgomery_one(ntt->prime);
    for (const int64_t *end = x + ntt->length; x != end; x += 2 * (size_t)half) {
        scale(x, half, one, ntt->prime);
    }
}

void isopod_inverse_ntt(int64_t *x, const isopod_ntt *ntt, int64_t factor) {
    isopod64_layer_words layer = {.x = x,
                                  .end = x + ntt->length,
                                  .modulus = ntt->prime->modulus,
                                  .negative_inverse = 0u - (uint32_t)ntt->prime->inverse,
                                  .multiple = ntt->prime->modulus};
    make_positive(x, ntt);
    for (uint32_t half = 1; half < ntt->length; half *= 2, layer.multiple *= 2) {
        if (layer.multiple >> 63 != 0) {
            reduce_sums(x, ntt, half / 2);
            layer.multiple = 2 * ntt->prime->modulus;
        }
        layer.twiddles = ntt->twiddles + ntt->length / half - 1;
        layer.half_bytes = 8u * half;
        isopod64_inverse_layer(&layer);
    }
    scale(x, ntt->length, factor, ntt->prime);
}

#endif
