/* The product of a digit polynomial and a small key by one NTT modulo p ([LN16]), exact over the
 * integers, in portable C. Bounds, p = 143142913 (30 p is 2^32 within 1.6e-4), forward transform
 * |x| < 9.9 p (ntt.c of any backend). The product with a canonical key is within 9.9/30 p + p/2 <
 * 0.83 p. In the inverse, with inputs within B = 1.1 p: sums of four are within 4.4 p, which a
 * reduction brings within 0.51 p; redc of a difference is within 4.4/60 p + p/2 < 0.58 p, sums of
 * two of those within 1.16 p. (The first pass: B = 0.83 p.) A last reduction finds the centred
 * residue exactly: true sums are within 2^26 < 0.469 p, and |x| < 5 p adds an error of 5 *
 * 1.6e-4. */
#include "ring.h"

#include "../../ring/montgomery.h"
#include "../../backend/backend.h"

#if ISOPOD_PORTABLE(RING_MULTIPLY)
/*@ requires \valid_read(small) && \valid_read(small->symbols + i / 32);
    requires \valid_read(small->symbols + i / 16);
    assigns \nothing;
    ensures -1 <= \result <= 2; */
static int32_t symbol(const isopod_small *small, uint32_t i) {
    if (small->kind == ISOPOD_SECRET_BINARY) {
        return (int32_t)(small->symbols[i / 32u] >> (i % 32u) & 1u);
    }
    return (int32_t)(small->symbols[i / 16u] >> (2u * (i % 16u)) & 3u) - 1;
}

void isopod_ring_transform(uint32_t *out, const isopod_small *small, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    const int32_t square = (int32_t)prime.montgomery_square;
    int32_t *x = (int32_t *)out;
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = symbol(small, i);
    }
    isopod_ntt_layers(x, ntt);
    /* 1/N = -(p - 1)/N; then twice to Montgomery form, once more than the product takes away */
    int32_t scale = -(int32_t)((prime.modulus - 1u) / ntt->length);
    scale = isopod_montgomery(isopod_montgomery(scale, square, &prime), square, &prime);
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = (int32_t)isopod_canonical(isopod_montgomery(x[i], scale, &prime), &prime);
    }
}

/* Inverts the layers with 2 * blocks and with `blocks` blocks: quarter is their distance. The
 * inverse of twiddle m + g is the negative of twiddle 2 m - 1 - g. */
static void inverse_pair(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    const isopod_prime prime = *ntt->prime;
    uint32_t quarter = ntt->length / blocks / 4;
    for (uint32_t g = 0; g < blocks; g++, x += 4 * quarter) {
        int32_t w1 = -ntt->twiddles[2 * blocks - 1 - g];
        int32_t w2 = -ntt->twiddles[4 * blocks - 1 - 2 * g];
        int32_t w3 = -ntt->twiddles[4 * blocks - 2 - 2 * g];
        for (uint32_t i = 0; i < quarter; i++) {
            int32_t a = x[i], b = x[i + quarter], c = x[i + 2 * quarter], d = x[i + 3 * quarter];
            int32_t t0 = isopod_montgomery(a - b, w2, &prime);
            int32_t t1 = isopod_montgomery(c - d, w3, &prime);
            x[i] = isopod_reduce(a + b + c + d, &prime);
            x[i + quarter] = t0 + t1;
            x[i + 2 * quarter] = isopod_montgomery(a + b - c - d, w1, &prime);
            x[i + 3 * quarter] = isopod_montgomery(t0 - t1, w1, &prime);
        }
    }
}

static void inverse_first_layer(int32_t *x, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    uint32_t half = ntt->length / 2;
    int32_t twiddle = -ntt->twiddles[1];
    for (uint32_t i = 0; i < half; i++) {
        int32_t a = x[i], b = x[i + half];
        x[i] = a + b;
        x[i + half] = isopod_montgomery(a - b, twiddle, &prime);
    }
}

/* x := digits * s over the integers. */
void isopod_ring_multiply(int32_t *x, const uint32_t *transformed, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    uint32_t blocks = ntt->length / 4;
    isopod_ntt_layers(x, ntt);
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = isopod_montgomery(x[i], (int32_t)transformed[i], &prime);
    }
    for (; blocks > 0; blocks /= 4) {
        inverse_pair(x, ntt, blocks);
    }
    if ((ntt->length & 0xaaaaaaaau) != 0) {
        inverse_first_layer(x, ntt);
    }
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = isopod_reduce(x[i], &prime);
    }
}
#endif
