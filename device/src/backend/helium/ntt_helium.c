/* Passes of the NTT modulo a 32-bit prime for Helium, in place of ntt_pass.S and ntt_last.S of
 * armv7em: two layers on four vectors. Where nothing is reduced (q < 1.125 * 2^27, ntt_armv7em.c),
 * a pass adds at most 1.5 q to |x|, from 2.2 q over seven passes: below 2^31 = 14.2 q. One layer or
 * a fold adds a product to a reduced word: |out| is below (0.8 + 0.75) * 2^30 and below 1.75 q. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

/* Addresses with offsets instead of copies of them that increase. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-auto-inc-dec")
#endif

#include "../armv7em/ring/ntt_pass.h"
#include "butterfly.h"

ISOPOD_INLINE void butterfly_at(int32_t *x[4], uint32_t i, const isopod_root w[3],
                                const isopod_lanes *lanes, isopod_reduction reduction) {
    int32x4_t four[4] = {vld1q_s32(x[0] + i), vld1q_s32(x[1] + i), vld1q_s32(x[2] + i),
                         vld1q_s32(x[3] + i)};
    isopod_butterfly(four, w, lanes, reduction);
    vst1q_s32(x[0] + i, four[0]), vst1q_s32(x[1] + i, four[1]);
    vst1q_s32(x[2] + i, four[2]), vst1q_s32(x[3] + i, four[3]);
}

/* One group of 4 * distance words. */
ISOPOD_INLINE void group(int32_t *start, uint32_t distance, const isopod_root w[3],
                         const isopod_lanes *lanes, isopod_reduction reduction) {
    int32_t *x[4] = {start, start + distance, start + 2 * distance, start + 3 * distance};
    if (distance == 4) {
        butterfly_at(x, 0, w, lanes, reduction);
        return;
    }
    ISOPOD_HIDE(x[1]);
    ISOPOD_HIDE(x[2]);
    ISOPOD_HIDE(x[3]);
    for (uint32_t i = 0; i < distance; i += 16) {
        butterfly_at(x, 0, w, lanes, reduction);
        butterfly_at(x, 4, w, lanes, reduction);
        butterfly_at(x, 8, w, lanes, reduction);
        butterfly_at(x, 12, w, lanes, reduction);
        x[0] += 16, x[1] += 16, x[2] += 16, x[3] += 16;
    }
}

ISOPOD_INLINE void groups(int32_t *x, const isopod_ntt_pass *pass, uint32_t distance,
                          isopod_reduction reduction) {
    const isopod_lanes lanes = isopod_lanes_of(pass->modulus, pass->negative_inverse);
    const int32_t *first = pass->first, *second = pass->second, *end = pass->end;
    for (; x != end; x += 4 * distance, first++, second += 2) {
        const isopod_root w[3] = {isopod_root_of(first[0], &lanes),
                                  isopod_root_of(second[0], &lanes),
                                  isopod_root_of(second[1], &lanes)};
        group(x, distance, w, &lanes, reduction);
    }
}

#define PASS(kind, distance, reduction)                                                            \
    void isopod_ntt_pass_##kind##_##distance(int32_t *x, const isopod_ntt_pass *pass);             \
    void isopod_ntt_pass_##kind##_##distance(int32_t *x, const isopod_ntt_pass *pass) {            \
        groups(x, pass, distance, reduction);                                                      \
    }

PASS(bits27, 4, ISOPOD_AS_IS)
PASS(bits27, 16, ISOPOD_AS_IS)
PASS(bits27, 64, ISOPOD_AS_IS)
PASS(bits27, 256, ISOPOD_AS_IS)
PASS(bits30, 4, ISOPOD_REDUCE)
PASS(bits30, 16, ISOPOD_REDUCE)
PASS(bits30, 64, ISOPOD_REDUCE)
PASS(bits30, 256, ISOPOD_REDUCE)

void isopod_ntt_distant_pass(int32_t *x, const isopod_ntt_pass *pass, uint32_t distance) {
    groups(x, pass, distance, ISOPOD_REDUCE);
}

void isopod_ntt_last_pass(int32_t *x, const isopod_ntt_pass *pass);

/* Groups of four neighbours, one per lane. */
void isopod_ntt_last_pass(int32_t *x, const isopod_ntt_pass *pass) {
    const isopod_lanes lanes = isopod_lanes_of(pass->modulus, pass->negative_inverse);
    const int32_t *first = pass->first, *second = pass->second;
    uint32x4_t at = isopod_lanes_from(x, 16);
    for (uint32_t i = (uint32_t)(pass->end - x) / 16; i > 0; i--, first += 4, second += 8) {
        const int32x4_t w = vld1q_s32(first);
        int32x4_t x2 = isopod_times_each(vldrwq_gather_base_s32(at, 8), w, &lanes);
        int32x4_t x3 = isopod_times_each(vldrwq_gather_base_s32(at, 12), w, &lanes);
        int32x4_t x0 = isopod_reduced(vldrwq_gather_base_s32(at, 0), &lanes);
        int32x4_t x1 = isopod_reduced(vldrwq_gather_base_s32(at, 4), &lanes);
        const int32x4x2_t ws = vld2q_s32(second);
        int32x4_t b1 = isopod_times_each(vaddq_s32(x1, x3), ws.val[0], &lanes);
        int32x4_t b3 = isopod_times_each(vsubq_s32(x1, x3), ws.val[1], &lanes);
        int32x4_t b0 = vaddq_s32(x0, x2), b2 = vsubq_s32(x0, x2);
        vstrwq_scatter_base_s32(at, 0, vaddq_s32(b0, b1));
        vstrwq_scatter_base_s32(at, 4, vsubq_s32(b0, b1));
        vstrwq_scatter_base_s32(at, 8, vaddq_s32(b2, b3));
        vstrwq_scatter_base_s32(at, 12, vsubq_s32(b2, b3));
        at = vaddq_n_u32(at, 64);
    }
}

void isopod_ntt_layer(int32_t *x, const isopod_ntt *ntt) {
    const isopod_lanes lanes = isopod_lanes_of(ntt->prime->modulus, ntt->prime->negative_inverse);
    const isopod_root root = isopod_root_of(ntt->twiddles[ntt->chunks + ntt->chunk], &lanes);
    int32_t *half = x + ntt->length / 2;
    ISOPOD_HIDE(half);
    for (uint32_t i = ntt->length / 16; i > 0; i--, x += 8, half += 8) {
        for (uint32_t j = 0; j < 8; j += 4) {
            int32x4_t high = isopod_times(vld1q_s32(half + j), root, &lanes);
            int32x4_t low = isopod_reduced(vld1q_s32(x + j), &lanes);
            vst1q_s32(x + j, vaddq_s32(low, high));
            vst1q_s32(half + j, vsubq_s32(low, high));
        }
    }
}

void isopod_ntt_fold(int32_t out[ISOPOD_FOLD_BLOCK], const int32_t part[ISOPOD_FOLD_BLOCK],
                     int32_t weight, const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime->modulus, prime->negative_inverse);
    const isopod_root root = isopod_root_of(weight, &lanes);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
        int32x4_t product = isopod_times(vld1q_s32(part + i), root, &lanes);
        vst1q_s32(out + i, vaddq_s32(isopod_reduced(vld1q_s32(out + i), &lanes), product));
    }
}

#endif
