/* The NTT modulo a 32-bit prime (ring/ntt.h) for NEON, two layers at a time; primes of up to 27
 * bits are reduced at the beginning and the end alone. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../ring/ntt.h"

#include "butterfly.h"
#include "layers.h"

void isopod_ntt_fold(int32_t out[ISOPOD_FOLD_BLOCK], const int32_t part[ISOPOD_FOLD_BLOCK],
                     int32_t weight, const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime);
    const isopod_root root = isopod_root_of(vdupq_n_s32(weight), &lanes);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
        int32x4_t sum = isopod_reduced(vld1q_s32(out + i), &lanes);
        vst1q_s32(out + i, vaddq_s32(sum, isopod_times(vld1q_s32(part + i), root, lanes.q)));
    }
}

/* The layer with `blocks` blocks in the whole transform. */
ISOPOD_INLINE void layer(int32_t *x, const isopod_ntt *ntt, uint32_t blocks,
                         isopod_reduction reduction) {
    const isopod_lanes lanes = isopod_lanes_of(ntt->prime);
    uint32_t own = blocks / ntt->chunks;
    uint32_t half = ntt->length / own / 2, at = blocks + (uint32_t)ntt->chunk * own;
    for (const uint32_t end = at + own; at != end; at++, x += half) {
        isopod_root root = isopod_root_of(vld1q_dup_s32(ntt->twiddles + at), &lanes);
        for (const int32_t *stop = x + half; x != stop; x += 4) {
            int32x4_t high = isopod_times(vld1q_s32(x + half), root, lanes.q);
            int32x4_t low = vld1q_s32(x);
            low = reduction == ISOPOD_REDUCE ? isopod_reduced(low, &lanes) : low;
            vst1q_s32(x, vaddq_s32(low, high));
            vst1q_s32(x + half, vsubq_s32(low, high));
        }
    }
}

/* Layers with `blocks` and 2*blocks blocks in the whole transform; blocks of at least 16. */
ISOPOD_INLINE void layer_pair(int32_t *x, const isopod_ntt *ntt, uint32_t blocks,
                              isopod_reduction reduction) {
    const isopod_lanes lanes = isopod_lanes_of(ntt->prime);
    uint32_t own = blocks / ntt->chunks;
    uint32_t quarter = ntt->length / own / 4, at = blocks + (uint32_t)ntt->chunk * own;
    for (const uint32_t end = at + own; at != end; at++, x += 3 * quarter) {
        const isopod_roots roots = isopod_roots_at(ntt->twiddles, at, &lanes);
        int32_t *x1 = x + quarter, *x2 = x1 + quarter, *x3 = x2 + quarter;
        for (const int32_t *stop = x1; x != stop; x += 4, x1 += 4, x2 += 4, x3 += 4) {
            int32x4_t four[4] = {vld1q_s32(x), vld1q_s32(x1), vld1q_s32(x2), vld1q_s32(x3)};
            isopod_butterfly(four, &roots, &lanes, reduction);
            vst1q_s32(x, four[0]), vst1q_s32(x1, four[1]);
            vst1q_s32(x2, four[2]), vst1q_s32(x3, four[3]);
        }
    }
}

/* Bounds for primes above 27 bits as in ring/ntt.c, for others as in ../rv32im/ntt_rv32im.c. */
void isopod_neon_last(int32_t *x, const isopod_ntt *ntt) {
    const isopod_lanes lanes = isopod_lanes_of(ntt->prime);
    uint32_t at = isopod_last_blocks(ntt);
    for (const int32_t *end = x + ntt->length; x != end; x += 16, at += 4) {
        int32x4_t four[4];
        isopod_last_butterfly(four, x, ntt, at, &lanes, ISOPOD_REDUCE);
        const int32x4x4_t out = {{four[0], four[1], four[2], four[3]}};
        vst4q_s32(x, out);
    }
}

static uint32_t is_odd_log2(uint32_t power) {
    return (power & 0xaaaaaaaau) != 0;
}

ISOPOD_INLINE void all_layers(int32_t *x, const isopod_ntt *ntt, uint32_t blocks,
                              isopod_reduction reduction) {
    uint32_t n = ntt->length * ntt->chunks;
    if (is_odd_log2(n / blocks)) {
        layer(x, ntt, blocks, reduction);
        blocks *= 2;
    }
    for (; 4 * blocks < n; blocks *= 4) {
        layer_pair(x, ntt, blocks, reduction);
    }
}

void isopod_neon_middle(int32_t *x, const isopod_ntt *ntt, uint32_t blocks) {
    all_layers(x, ntt, blocks, ISOPOD_AS_IS);
}

void isopod_ntt_layers(int32_t *x, const isopod_ntt *ntt) {
    all_layers(x, ntt, ntt->chunks, ISOPOD_REDUCE);
    isopod_neon_last(x, ntt);
}

#endif
