/* The inverse negacyclic NTT ([LN16]), in place, two layers at a time, with signed Montgomery
 * products ([SEILER18]). Bounds, q < R/4, |w| <= q/2, |x| <= q: sums and differences of two are
 * within 2q < R/2, and one reduction of two products gives |out| <= 2 * 2q * (q/2) / R + q/2 < q/2
 * + q/2. So bounds do not grow from pass to pass. */
#include "inverse_ntt.h"
#include "../base/memory.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(INVERSE_NTT)
/* The multipliers of two layers: for the sums of all four inputs, for differences of the inner
 * layer, and for differences of the outer layer, in which the inner ones enter twice. */
typedef struct {
    isopod_word sum, inner0, inner1, outer, outer0, outer1;
} multipliers;

static isopod_word product(isopod_word a, isopod_word b, const isopod_word_prime *prime) {
    return isopod_centred(isopod_montgomery(a, b, prime), prime);
}

/* The forward twiddle of block g of m is psi^brv(m+g), and its inverse -psi^(n - brv(m+g)), which
 * is minus the one of block m-1-g. The inner layer has 2 * blocks. */
static multipliers multipliers_at(const isopod_ntt *ntt, uint32_t blocks, uint32_t group) {
    uint32_t at = 2 * blocks - 1 - group;
    multipliers by;
    by.sum = isopod_montgomery_one(ntt->prime);
    by.inner0 = -isopod_twiddle(ntt, 2 * at + 1);
    by.inner1 = -isopod_twiddle(ntt, 2 * at);
    by.outer = -isopod_twiddle(ntt, at);
    by.outer0 = product(by.outer, by.inner0, ntt->prime);
    by.outer1 = product(by.outer, by.inner1, ntt->prime);
    return by;
}

ISOPOD_FRAME_APART static void scale(multipliers *by, isopod_word factor,
                                     const isopod_word_prime *prime) {
    by->sum = factor;
    by->inner0 = product(by->inner0, factor, prime);
    by->inner1 = product(by->inner1, factor, prime);
    by->outer = product(by->outer, factor, prime);
    by->outer0 = product(by->outer0, factor, prime);
    by->outer1 = product(by->outer1, factor, prime);
}

/* Two layers of one block of 4*quarter values. */
static inline void inverse_butterfly(isopod_word *x, uint32_t quarter, const multipliers *by,
                                     const isopod_word_prime *prime) {
    isopod_word s0 = x[0] + x[quarter], s1 = x[2 * quarter] + x[3 * quarter];
    isopod_word d0 = x[0] - x[quarter], d1 = x[2 * quarter] - x[3 * quarter];
    x[0] = isopod_redc(isopod_word_dot(s0, by->sum, s1, by->sum), prime);
    x[quarter] = isopod_redc(isopod_word_dot(d0, by->inner0, d1, by->inner1), prime);
    x[2 * quarter] = isopod_redc(isopod_word_dot(s0, by->outer, s1, -by->outer), prime);
    x[3 * quarter] = isopod_redc(isopod_word_dot(d0, by->outer0, d1, -by->outer1), prime);
}

/* Undoes the layers with 2*blocks blocks (inner) and `blocks` blocks (outer) of 4*quarter
 * coefficients. */
static void inverse_pair(isopod_word *x, const isopod_ntt *ntt, uint32_t blocks, uint32_t quarter,
                         isopod_word factor) {
    const isopod_word_prime prime = *ntt->prime;
    for (uint32_t g = 0; g < blocks; g++, x += 4 * quarter) {
        multipliers by = multipliers_at(ntt, blocks, g);
        if (blocks == 1) {
            scale(&by, factor, &prime);
        }
        for (uint32_t i = 0; i < quarter; i++) {
            inverse_butterfly(x + i, quarter, &by, &prime);
        }
    }
}

/* The layer of one block, if the number of layers is odd. */
static void last_layer(isopod_word *x, const isopod_ntt *ntt, isopod_word factor) {
    const isopod_word_prime prime = *ntt->prime;
    uint32_t half = ntt->length / 2;
    isopod_word twiddle = product(-ntt->twiddles[1], factor, &prime);
    for (uint32_t i = 0; i < half; i++) {
        isopod_word sum = x[i] + x[i + half], difference = x[i] - x[i + half];
        x[i] = isopod_montgomery(sum, factor, &prime);
        x[i + half] = isopod_montgomery(difference, twiddle, &prime);
    }
}

void isopod_inverse_ntt(isopod_word *x, const isopod_ntt *ntt, isopod_word factor) {
#if ISOPOD_TAKES(INVERSE_NTT)
    if (isopod_native_inverse_ntt(x, ntt, factor)) {
        return;
    }
#endif
    uint32_t blocks = ntt->length / 4, quarter = 1;
    for (; blocks > 1; blocks /= 4, quarter *= 4) {
        inverse_pair(x, ntt, blocks, quarter, factor);
    }
    if (blocks == 1) {
        inverse_pair(x, ntt, blocks, quarter, factor);
    } else {
        last_layer(x, ntt, factor);
    }
}
#endif
