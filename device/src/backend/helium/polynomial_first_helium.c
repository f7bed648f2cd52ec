/* The first pass of the NTT of a compact polynomial of degree 4096 for Helium, in place of half of
 * polynomial_first.S. Message words are within 2^30 and errors within 21, so that |x1 +- x3*w1| <
 * 2^30 + 0.7 q, and every output stays below 1.95 * 2^30 as in butterfly.h; for primes of up to 27
 * bits, below 2.2 q. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

/* Addresses with offsets instead of copies of them that increase. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-auto-inc-dec")
#endif

#include "../armv7em/ring/polynomial_first.h"
#include "butterfly.h"

#define QUARTER 1024

typedef struct {
    isopod_root w[3];
    isopod_lanes lanes;
} first_roots;

ISOPOD_INLINE first_roots roots_of(const isopod_first *from) {
    first_roots roots = {.lanes = isopod_lanes_of(from->modulus, from->negative_inverse)};
    roots.w[0] = isopod_root_of(from->twiddles[0], &roots.lanes);
    roots.w[1] = isopod_root_of(from->twiddles[1], &roots.lanes);
    roots.w[2] = isopod_root_of(from->twiddles[3], &roots.lanes);
    return roots;
}

ISOPOD_INLINE void store(int32_t *out, int32x4_t four[4], const first_roots *roots) {
    isopod_butterfly(four, roots->w, &roots->lanes, ISOPOD_REDUCE_FIRST);
    vst1q_s32(out, four[0]);
    vst1q_s32(out + QUARTER, four[1]);
    vst1q_s32(out + 2 * QUARTER, four[2]);
    vst1q_s32(out + 3 * QUARTER, four[3]);
}

ISOPOD_INLINE int32x4_t load_error(const int8_t *error, uint32_t part) {
    return vldrbq_s32(error + part * QUARTER);
}

/* Four outputs of each quarter at a time. */
static void rows(int32_t *out, const isopod_first *from, const first_roots *shared,
                 const int32_t *end) {
    const first_roots roots = *shared;
    const int32_t *up = from->up, *down = from->down - 6;
    const int8_t *error = from->error;
    const uint32x4_t backwards = vddupq_n_u32(24, 8);
    for (; out != end; out += 4, error += 4, up += 8, down -= 8) {
        const int32x4x2_t words = vld2q_s32(up);
        int32x4_t four[4] = {
            vaddq_s32(words.val[0], load_error(error, 0)),
            vaddq_s32(vldrwq_gather_offset_s32(down + 1, backwards), load_error(error, 1)),
            vsubq_s32(load_error(error, 2), words.val[1]),
            vsubq_s32(load_error(error, 3), vldrwq_gather_offset_s32(down, backwards))};
        store(out, four, &roots);
    }
}

/* Outputs 1 to 1020 of each quarter, and 1020 to 1023. */
void isopod_first_message(int32_t *out, const isopod_first *from) {
    const first_roots roots = roots_of(from);
    isopod_first last = *from;
    last.up += 2 * (QUARTER - 5);
    last.down -= 2 * (QUARTER - 5);
    last.error += QUARTER - 5;
    rows(out + 1, from, &roots, out + QUARTER - 3);
    rows(out + QUARTER - 4, &last, &roots, out + QUARTER);
}

void isopod_first_error(int32_t *out, const isopod_first *from) {
    const first_roots roots = roots_of(from);
    const int8_t *error = from->error;
    for (const int32_t *end = out + QUARTER; out != end; out += 4, error += 4) {
        int32x4_t four[4] = {load_error(error, 0), load_error(error, 1), load_error(error, 2),
                             load_error(error, 3)};
        store(out, four, &roots);
    }
}

#endif
