/* The NTT modulo a 32-bit prime (ring/ntt.h) for RV32IM, two layers at a time; bounds are in
 * butterfly.h. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../ring/ntt.h"

#include <stddef.h>

#include "butterfly.h"
#include "layers.h"

ISOPOD_INLINE void fold(int32_t *out, const int32_t *part, int32_t weight,
                        const isopod_prime *shared, isopod_reduction reduction) {
    const isopod_prime prime = *shared;
    const isopod_root root = isopod_root_of(weight, &prime);
    for (const int32_t *end = out + ISOPOD_FOLD_BLOCK; out != end; out++, part++) {
        *out = isopod_reduced(*out, &prime, reduction) +
               isopod_times(*part, root, (int32_t)prime.modulus);
    }
}

void isopod_ntt_fold(int32_t out[ISOPOD_FOLD_BLOCK], const int32_t part[ISOPOD_FOLD_BLOCK],
                     int32_t weight, const isopod_prime *prime) {
    if (prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        fold(out, part, weight, prime, ISOPOD_FLOOR);
    } else {
        fold(out, part, weight, prime, ISOPOD_CENTRED);
    }
}

/* The layer with `blocks` blocks in the whole transform. */
ISOPOD_INLINE void layer(int32_t *x, const isopod_ntt *ntt, uint32_t blocks,
                         isopod_reduction reduction) {
    const isopod_prime prime = *ntt->prime;
    uint32_t own = blocks / ntt->chunks;
    uint32_t half = ntt->length / own / 2, at = blocks + (uint32_t)ntt->chunk * own;
    for (const uint32_t end = at + own; at != end; at++, x += half) {
        isopod_root root = isopod_root_of(ntt->twiddles[at], &prime);
        for (const int32_t *stop = x + half; x != stop; x++) {
            int32_t high = isopod_times(x[half], root, (int32_t)prime.modulus);
            int32_t low = isopod_reduced(x[0], &prime, reduction);
            x[0] = low + high;
            x[half] = low - high;
        }
    }
}

/* Layers with `blocks` and 2*blocks blocks in the whole transform; blocks of at least 16. */
ISOPOD_INLINE void layer_pair(int32_t *x, const isopod_ntt *ntt, uint32_t blocks,
                              isopod_reduction reduction) {
    const isopod_prime prime = *ntt->prime;
    uint32_t own = blocks / ntt->chunks;
    uint32_t quarter = ntt->length / own / 4, at = blocks + (uint32_t)ntt->chunk * own;
    for (const uint32_t end = at + own; at != end; at++, x += 3 * quarter) {
        const isopod_roots roots = isopod_roots_at(ntt->twiddles, at, &prime);
        int32_t *x1 = x + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
        for (const int32_t *stop = x1; x != stop; x += 4, x1 += 4, x2 += 4, x3 += 4) {
#pragma GCC unroll 4
            for (uint32_t i = 0; i < 4; i++) {
                int32_t four[4] = {x[i], x1[i], x2[i], x3[i]};
                isopod_butterfly(four, &roots, &prime, reduction);
                x[i] = four[0], x1[i] = four[1], x2[i] = four[2], x3[i] = four[3];
            }
        }
    }
}

/* The last two layers, blocks of four neighbours: |x| < 2q, as in the portable kernel for
 * primes above 27 bits; for others |b| <= 0.66 q + 0.66 q and the last product is below 0.53 q. */
void isopod_rv32im_last(int32_t *x, const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    uint32_t at = ntt->length / 4 * (ntt->chunks + (uint32_t)ntt->chunk);
    for (const int32_t *end = x + ntt->length; x != end; x += 4, at++) {
        const isopod_roots roots = isopod_roots_at(ntt->twiddles, at, &prime);
        isopod_butterfly(x, &roots, &prime, ISOPOD_CENTRED);
    }
}

static uint32_t is_odd_log2(uint32_t power) {
    return (power & 0xaaaaaaaau) != 0;
}

void isopod_rv32im_middle(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    uint32_t n = ntt->length * ntt->chunks;
    if (is_odd_log2(n / blocks)) {
        layer(x, ntt, blocks, ISOPOD_AS_IS);
        blocks *= 2;
    }
    for (; 4 * blocks < n; blocks *= 4) {
        layer_pair(x, ntt, blocks, ISOPOD_AS_IS);
    }
}

static void layers30(int32_t *x, const isopod_ntt *ntt) {
    uint32_t blocks = ntt->chunks, n = ntt->length * ntt->chunks;
    if (is_odd_log2(ntt->length)) {
        layer(x, ntt, blocks, ISOPOD_CENTRED);
        blocks *= 2;
    }
    for (; 4 * blocks < n; blocks *= 4) {
        layer_pair(x, ntt, blocks, ISOPOD_CENTRED);
    }
}

/* The first layer or two of a prime of up to 27 bits, with the only reduction. */
static uint32_t start27(int32_t *x, const isopod_ntt *ntt) {
    if (is_odd_log2(ntt->length)) {
        layer(x, ntt, ntt->chunks, ISOPOD_FLOOR);
        return 2u * ntt->chunks;
    }
    layer_pair(x, ntt, ntt->chunks, ISOPOD_FLOOR);
    return 4u * ntt->chunks;
}

void isopod_ntt_layers(int32_t *x, const isopod_ntt *ntt) {
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        isopod_rv32im_middle(x, ntt, start27(x, ntt));
    } else {
        layers30(x, ntt);
    }
    isopod_rv32im_last(x, ntt);
}

#endif
