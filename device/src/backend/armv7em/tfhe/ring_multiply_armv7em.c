/* The product of a digit polynomial and a small key (tfhe/ring/ring.h) for Armv7-M, in the passes
 * of ntt_pass.S and ring_inverse.S. Bounds, q = 143142913 (30 q is 2^32 within 1.6e-4), forward
 * transform |x| < 10.2 q (ntt_armv7em.c). The product with a canonical key is within 10.2/30 q +
 * q/2 < 0.85 q.
 *
 * Inverse passes, inputs within B: a sum of four is within 4 B; redc of one difference of sums is
 * within 4 B / 60 + q/2, redc of two products within 2 * 2 B * 0.52 / 30 + q/2. First pass, B =
 * 0.85 q: 3.4 q. Distance 4, B = 3.4 q: sums of 13.6 q < 2^31 are reduced to 0.51 q, others are
 * within 0.74 q. Distance 16: 3 q. Distance 64: sums of 12 q reduced, others within 0.71 q.
 * Distance 256: 2.9 q, and a layer more, for N = 2048, 5.8 q. All outputs are reduced at last,
 * exactly to the centred residue: true sums are within 2^26 < 0.469 q, and 5.8 q adds an error of
 * 5.8 * 1.6e-4. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../tfhe/ring/ring.h"

#include "../../../base/memory.h"
#include "../../../ring/montgomery.h"

/* One pass; ring_inverse.S reads this struct. */
typedef struct {
    const int32_t *first;  /* behind the twiddles of the layer with `blocks` blocks */
    const int32_t *second; /* behind the twiddles of the layer with twice as many */
    const int32_t *end;    /* of x */
    uint32_t modulus;
    uint32_t negative_inverse;
    const uint32_t *key; /* first pass only */
} isopod_ring_pass;

typedef void pass_function(int32_t *x, const isopod_ring_pass *pass);
pass_function isopod_ring_inverse_first, isopod_ring_inverse_4, isopod_ring_inverse_16,
    isopod_ring_inverse_64, isopod_ring_inverse_plain_256, isopod_ring_inverse_all_256;

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
    /* 1/N = -(q - 1)/N; then twice to Montgomery form, once more than the product takes away */
    int32_t scale = -(int32_t)((prime.modulus - 1u) / ntt->length);
    scale = isopod_montgomery(isopod_montgomery(scale, square, &prime), square, &prime);
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = symbol(small, i);
    }
    isopod_ntt_layers(x, ntt);
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = (int32_t)isopod_canonical(isopod_montgomery(x[i], scale, &prime), &prime);
    }
}

/* Inverts the first layer and centres the outputs. */
static void last_layer(int32_t *x, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    const uint32_t half = 1024;
    int32_t twiddle = ntt->twiddles[1];
    for (const int32_t *end = x + half; x != end; x++) {
        int32_t a = x[0], b = x[half];
        x[0] = isopod_reduce(a + b, &prime);
        x[half] = isopod_reduce(isopod_montgomery(b - a, twiddle, &prime), &prime);
    }
}

static void run(pass_function *function, int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    isopod_ring_pass pass = {ntt->twiddles + (size_t)2 * blocks,
                             ntt->twiddles + (size_t)4 * blocks,
                             x + ntt->length,
                             ntt->prime->modulus,
                             ntt->prime->negative_inverse,
                             NULL};
    function(x, &pass);
}

void isopod_ring_multiply(int32_t *x, const uint32_t *transformed, const isopod_ntt *ntt) {
    uint32_t n = ntt->length;
    isopod_ring_pass first = {
        ntt->twiddles + n / 2,        ntt->twiddles + n, x + n, ntt->prime->modulus,
        ntt->prime->negative_inverse, transformed};
    isopod_ntt_layers(x, ntt);
    isopod_ring_inverse_first(x, &first);
    run(isopod_ring_inverse_4, x, ntt, n / 16);
    run(isopod_ring_inverse_16, x, ntt, n / 64);
    run(isopod_ring_inverse_64, x, ntt, n / 256);
    if (n == 1024) {
        run(isopod_ring_inverse_all_256, x, ntt, 1);
    } else {
        run(isopod_ring_inverse_plain_256, x, ntt, 2);
        last_layer(x, ntt);
    }
}

#endif
