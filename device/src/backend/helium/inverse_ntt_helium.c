/* The inverse NTT modulo a 32-bit prime for Helium, in place of inverse_ntt_armv7em.c: two layers
 * on four vectors. Twiddles are those of the tables, negated inverses in reverse order, so that
 * differences are taken the other way round.
 *
 * Bounds, q < 2^30, |w| <= q/2, |x| <= q. Sums and differences of two are within 2q < 2^31. Those
 * of four are within 4q and may wrap. Their quotient is found from their halves: with c = barrett
 * and c*q = 2^32 + d, |d| <= q/2, it leaves |out| <= q/2 + 4q*|d|/2^32 + 2 < q. The second term is
 * q*|4 - c*z|, z = q/2^30, at most 0.45 q. A product of the inner layer is within 3q/4, and the sum
 * of two is reduced likewise. Products of the outer layer are within 3q/4. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

/* Addresses with offsets instead of copies of them that increase. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-auto-inc-dec")
#endif

#include "../../base/memory.h"
#include "../../ring/inverse_ntt.h"
#include "butterfly.h"

typedef struct {
    isopod_lanes lanes;
    int32_t barrett;
} constants;

/* Roots of two layers; the factors are used by the last pass alone. */
typedef struct {
    isopod_root outer, inner[2], factor, scaled_outer;
} roots;

ISOPOD_INLINE constants constants_of(const isopod_prime *prime) {
    constants of = {isopod_lanes_of(prime->modulus, prime->negative_inverse),
                    (int32_t)prime->barrett};
    return of;
}

/* `value` modulo q, whose half is rounded down. */
ISOPOD_INLINE int32x4_t reduced_by_half(int32x4_t value, int32x4_t half, const constants *of) {
    return vmlaq_n_s32(value, vqrdmulhq_n_s32(half, of->barrett), of->lanes.minus_q);
}

ISOPOD_INLINE int32x4_t sum_of_four(int32x4_t a, int32x4_t b, const constants *of) {
    return reduced_by_half(vaddq_s32(a, b), vhaddq_s32(a, b), of);
}

ISOPOD_INLINE int32x4_t difference_of_four(int32x4_t a, int32x4_t b, const constants *of) {
    return reduced_by_half(vsubq_s32(a, b), vhsubq_s32(a, b), of);
}

ISOPOD_INLINE void butterfly(int32x4_t x[4], const roots *by, const constants *of,
                             uint32_t is_last) {
    const isopod_lanes *lanes = &of->lanes;
    int32x4_t t0 = isopod_times(vsubq_s32(x[1], x[0]), by->inner[0], lanes);
    int32x4_t t1 = isopod_times(vsubq_s32(x[3], x[2]), by->inner[1], lanes);
    int32x4_t s0 = vaddq_s32(x[0], x[1]), s1 = vaddq_s32(x[2], x[3]);
    x[1] = sum_of_four(t0, t1, of);
    x[3] = isopod_times(vsubq_s32(t1, t0), by->outer, lanes);
    x[0] = sum_of_four(s0, s1, of);
    x[2] = difference_of_four(s1, s0, of);
    x[2] = isopod_times(x[2], is_last ? by->scaled_outer : by->outer, lanes);
    if (is_last) {
        x[0] = isopod_times(x[0], by->factor, lanes);
    }
}

ISOPOD_INLINE void butterfly_at(int32_t *x[4], uint32_t i, const roots *by, const constants *of,
                                uint32_t is_last) {
    int32x4_t four[4] = {vld1q_s32(x[0] + i), vld1q_s32(x[1] + i), vld1q_s32(x[2] + i),
                         vld1q_s32(x[3] + i)};
    butterfly(four, by, of, is_last);
    vst1q_s32(x[0] + i, four[0]), vst1q_s32(x[1] + i, four[1]);
    vst1q_s32(x[2] + i, four[2]), vst1q_s32(x[3] + i, four[3]);
}

/* One group of 4 * quarter words. */
ISOPOD_INLINE void group(int32_t *start, uint32_t quarter, const roots *by, const constants *of,
                         uint32_t is_last) {
    int32_t *x[4] = {start, start + quarter, start + 2 * quarter, start + 3 * quarter};
    if (quarter == 4) {
        butterfly_at(x, 0, by, of, is_last);
        return;
    }
    ISOPOD_HIDE(x[1]);
    ISOPOD_HIDE(x[2]);
    ISOPOD_HIDE(x[3]);
    for (uint32_t i = quarter / 16; i > 0; i--) {
        butterfly_at(x, 0, by, of, is_last);
        butterfly_at(x, 4, by, of, is_last);
        butterfly_at(x, 8, by, of, is_last);
        butterfly_at(x, 12, by, of, is_last);
        x[0] += 16, x[1] += 16, x[2] += 16, x[3] += 16;
    }
}

/* The roots of twiddle `at` of the outer layer. */
static ISOPOD_NOINLINE void find_roots(roots *by, const isopod_ntt *ntt, uint32_t at,
                                       const isopod_lanes *lanes) {
    by->outer = isopod_root_of(isopod_twiddle(ntt, at), lanes);
    by->inner[0] = isopod_root_of(isopod_twiddle(ntt, 2 * at + 1), lanes);
    by->inner[1] = isopod_root_of(isopod_twiddle(ntt, 2 * at), lanes);
}

/* Groups of 4 * quarter words. */
ISOPOD_INLINE void groups(int32_t *x, const isopod_ntt *ntt, uint32_t quarter) {
    const constants of = constants_of(ntt->prime);
    const uint32_t blocks = ntt->length / quarter / 4;
    for (uint32_t at = 2 * blocks - 1; at >= blocks; at--, x += 4 * quarter) {
        roots by;
        find_roots(&by, ntt, at, &of.lanes);
        group(x, quarter, &by, &of, 0);
    }
}

static ISOPOD_NOINLINE void near_pass(int32_t *x, const isopod_ntt *ntt) {
    groups(x, ntt, 4);
}

static ISOPOD_NOINLINE void distant_pass(int32_t *x, const isopod_ntt *ntt, uint32_t quarter) {
    groups(x, ntt, quarter);
}

/* a*b/R mod q, centred. Public. */
static int32_t product(int32_t a, int32_t b, const isopod_prime *prime) {
    return isopod_centred(isopod_montgomery(a, b, prime), prime);
}

/* The two layers of one and of two blocks, times the factor. */
static ISOPOD_NOINLINE void last_pass(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    const constants of = constants_of(ntt->prime);
    const int32_t *w = ntt->twiddles;
    const roots by = {.outer = isopod_root_of(w[1], &of.lanes),
                      .inner = {isopod_root_of(product(w[3], factor, ntt->prime), &of.lanes),
                                isopod_root_of(product(w[2], factor, ntt->prime), &of.lanes)},
                      .factor = isopod_root_of(factor, &of.lanes),
                      .scaled_outer = isopod_root_of(product(w[1], factor, ntt->prime), &of.lanes)};
    group(x, ntt->length / 4, &by, &of, 1);
}

/* The layer of one block, times the factor, where the number of layers is odd. */
static ISOPOD_NOINLINE void last_layer(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    const isopod_lanes lanes = isopod_lanes_of(ntt->prime->modulus, ntt->prime->negative_inverse);
    const isopod_root sum = isopod_root_of(factor, &lanes);
    const isopod_root difference =
        isopod_root_of(product(ntt->twiddles[1], factor, ntt->prime), &lanes);
    int32_t *half = x + ntt->length / 2;
    ISOPOD_HIDE(half);
    for (const int32_t *end = half; x != end; x += 4, half += 4) {
        int32x4_t first = vld1q_s32(x), second = vld1q_s32(half);
        vst1q_s32(x, isopod_times(vaddq_s32(first, second), sum, &lanes));
        vst1q_s32(half, isopod_times(vsubq_s32(second, first), difference, &lanes));
    }
}

/* Four groups of four neighbours, one per lane, the last group first. */
ISOPOD_INLINE void neighbours(uint32x4_t at, const int32_t outer[4], const int32_t inner[8],
                              const constants *of) {
    const isopod_lanes *lanes = &of->lanes;
    const int32x4_t w = vld1q_s32(outer);
    const int32x4x2_t ws = vld2q_s32(inner);
    int32x4_t x0 = vldrwq_gather_base_s32(at, 0), x1 = vldrwq_gather_base_s32(at, 4);
    int32x4_t x2 = vldrwq_gather_base_s32(at, 8), x3 = vldrwq_gather_base_s32(at, 12);
    int32x4_t t0 = isopod_times_each(vsubq_s32(x1, x0), ws.val[1], lanes);
    int32x4_t t1 = isopod_times_each(vsubq_s32(x3, x2), ws.val[0], lanes);
    int32x4_t s0 = vaddq_s32(x0, x1), s1 = vaddq_s32(x2, x3);
    vstrwq_scatter_base_s32(at, 4, sum_of_four(t0, t1, of));
    vstrwq_scatter_base_s32(at, 12, isopod_times_each(vsubq_s32(t1, t0), w, lanes));
    vstrwq_scatter_base_s32(at, 0, sum_of_four(s0, s1, of));
    vstrwq_scatter_base_s32(at, 8, isopod_times_each(difference_of_four(s1, s0, of), w, lanes));
}

/* The addresses of four neighbouring groups of four words, backwards. */
ISOPOD_INLINE uint32x4_t groups_backwards(const int32_t *x) {
    return vaddq_n_u32(vshlq_n_u32(vddupq_n_u32(24, 8), 1), (uint32_t)(uintptr_t)x);
}

static ISOPOD_NOINLINE void first_pass(int32_t *x, const isopod_ntt *ntt) {
    const constants of = constants_of(ntt->prime);
    const int32_t *outer = ntt->twiddles + ntt->length / 2, *inner = ntt->twiddles + ntt->length;
    uint32x4_t at = groups_backwards(x);
    for (uint32_t i = ntt->length / 16; i > 0; i--) {
        outer -= 4, inner -= 8;
        neighbours(at, outer, inner, &of);
        at = vaddq_n_u32(at, 64);
    }
}

/* The first pass with twiddles that are products. */
static ISOPOD_NOINLINE void lean_first_pass(int32_t *x, const isopod_ntt *ntt) {
    const constants of = constants_of(ntt->prime);
    for (uint32_t at = ntt->length / 2; at > ntt->length / 4; x += 16) {
        int32_t outer[4], inner[8];
        at -= 4;
        for (uint32_t i = 0; i < 4; i++) {
            outer[i] = isopod_twiddle(ntt, at + i);
            inner[2 * i] = isopod_twiddle(ntt, 2 * (at + i));
            inner[2 * i + 1] = isopod_twiddle(ntt, 2 * (at + i) + 1);
        }
        neighbours(groups_backwards(x), outer, inner, &of);
    }
}

void isopod_inverse_ntt(int32_t *x, const isopod_ntt *ntt, int32_t factor) {
    uint32_t quarter = 16;
    if (ntt->coarse != NULL) {
        lean_first_pass(x, ntt);
    } else {
        first_pass(x, ntt);
    }
    near_pass(x, ntt);
    for (; 4 * quarter < ntt->length; quarter *= 4) {
        distant_pass(x, ntt, quarter);
    }
    if (4 * quarter == ntt->length) {
        last_pass(x, ntt, factor);
    } else {
        last_layer(x, ntt, factor);
    }
}

#endif
