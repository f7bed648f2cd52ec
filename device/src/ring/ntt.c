/* The negacyclic NTT ([LN16]; spec/ckks.md, section 5), in place, two layers at a time, reduced
 * late ([HARVEY14]), with signed Montgomery products ([SEILER18]). Bounds, q < 2^30, twiddles |w|
 * <= q/2: redc gives |x*w| / 2^32 + q/2 <= 3q/4 for |x| < 2^31. A reduced x0 is within 3q/4 (within
 * 0.69 q where q > 0.9 * 2^30), so after two layers |x| < 2.2 q for q <= 0.9 * 2^30 and < 1.95 q
 * above: below 2^31 either way. In 64-bit words q < 2^60 and |x| < 2.2 q is far below 2^63. */
#include "ntt.h"

#include <stddef.h>

#include "montgomery.h"
#include "twiddle.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(NTT)
void isopod_ntt_fold(isopod_word out[ISOPOD_FOLD_BLOCK], const isopod_word part[ISOPOD_FOLD_BLOCK],
                     isopod_word weight, const isopod_word_prime *shared) {
    const isopod_word_prime prime = *shared;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = isopod_reduce(out[i], &prime) + isopod_montgomery(part[i], weight, &prime);
    }
}

#if ISOPOD_PORTABLE(NTT_LAYERS)
static void layer(isopod_word *x, const isopod_ntt *ntt) {
    const isopod_word_prime prime = *ntt->prime;
    uint32_t half = ntt->length / 2;
    isopod_word twiddle = ntt->twiddles[ntt->chunks + ntt->chunk];
    for (uint32_t i = 0; i < half; i++) {
        isopod_word high = isopod_montgomery(x[i + half], twiddle, &prime);
        isopod_word low = isopod_reduce(x[i], &prime);
        x[i] = low + high;
        x[i + half] = low - high;
    }
}

/* Two layers of one block of 4*quarter coefficients; w[0] belongs to the first layer, w[1], w[2] to
 * the second. */
static inline void butterfly(isopod_word *x, uint32_t quarter, const isopod_word w[3],
                             const isopod_word_prime *prime) {
    isopod_word x2 = isopod_montgomery(x[2 * quarter], w[0], prime);
    isopod_word x3 = isopod_montgomery(x[3 * quarter], w[0], prime);
    isopod_word x0 = isopod_reduce(x[0], prime);
    isopod_word x1 = isopod_reduce(x[quarter], prime);
    isopod_word b1 = isopod_montgomery(x1 + x3, w[1], prime);
    isopod_word b3 = isopod_montgomery(x1 - x3, w[2], prime);
    isopod_word b0 = x0 + x2, b2 = x0 - x2;
    x[0] = b0 + b1;
    x[quarter] = b0 - b1;
    x[2 * quarter] = b2 + b3;
    x[3 * quarter] = b2 - b3;
}

/* Layers with `blocks` and 2*blocks blocks in the whole transform. */
static void layer_pair(isopod_word *x, const isopod_ntt *ntt, uint32_t blocks) {
    const isopod_word_prime prime = *ntt->prime;
    uint32_t own = blocks / ntt->chunks;
    uint32_t quarter = ntt->length / own / 4;
    for (uint32_t g = 0; g < own; g++, x += 4 * quarter) {
        uint32_t at = blocks + (uint32_t)ntt->chunk * own + g;
        const isopod_word w[3] = {isopod_twiddle(ntt, at), isopod_twiddle(ntt, 2 * at),
                                  isopod_twiddle(ntt, 2 * at + 1)};
        for (uint32_t i = 0; i < quarter; i++) {
            butterfly(x + i, quarter, w, &prime);
        }
    }
}

/* The last two layers: blocks of four neighbours. */
static void last_pair(isopod_word *x, const isopod_ntt *ntt) {
    const isopod_word_prime prime = *ntt->prime;
    uint32_t at = ntt->length / 4 * (ntt->chunks + (uint32_t)ntt->chunk);
    const isopod_word *first = ntt->twiddles + at, *second = ntt->twiddles + 2 * (size_t)at;
    for (const isopod_word *end = x + ntt->length; x != end; x += 4, first++, second += 2) {
        const isopod_word w[3] = {first[0], second[0], second[1]};
        butterfly(x, 1, w, &prime);
    }
}

/*@ assigns \nothing;
    ensures \result == 0 || \result == 1; */
static uint32_t is_odd_log2(uint32_t power) {
    return (power & 0xaaaaaaaau) != 0;
}

void isopod_ntt_layers(isopod_word *x, const isopod_ntt *ntt) {
#if ISOPOD_TAKES(NTT_LAYERS)
    if (isopod_native_ntt_layers(x, ntt)) {
        return;
    }
#endif
    uint32_t blocks = ntt->chunks;
    uint32_t n = ntt->length * ntt->chunks;
    if (is_odd_log2(ntt->length)) {
        layer(x, ntt);
        blocks *= 2;
    }
    for (; 4 * blocks < n; blocks *= 4) {
        layer_pair(x, ntt, blocks);
    }
    if (ntt->coarse != NULL) {
        layer_pair(x, ntt, blocks);
    } else {
        last_pair(x, ntt);
    }
}
#endif
#endif
