/* The first layers of one of several chunks for pairs of coefficients (armv7em/ring/fold_pairs.c)
 * for Helium. Each of the two products is within 0.63 q. With the previous sum, reduced to less
 * than 0.5 z + |2 - c*z| in units of 2^30 with z = q/2^30 (butterfly.h), |out| < 2 for z <= 1, and
 * below 1.9 q for primes of up to 27 bits. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../armv7em/ring/fold_pairs.h"
#include "butterfly.h"
#include "symbols.h"

typedef struct {
    isopod_lanes lanes;
    isopod_root low, high;
    uint32_t accumulates;
} weights;

ISOPOD_INLINE weights weights_of(const isopod_pair *by) {
    weights of = {.lanes = isopod_lanes_of(by->prime->modulus, by->prime->negative_inverse),
                  .accumulates = by->accumulates};
    of.low = isopod_root_of(by->low, &of.lanes);
    of.high = isopod_root_of(by->high, &of.lanes);
    return of;
}

/* Writes those of four outputs that are there. */
ISOPOD_INLINE void add_four(int32_t *out, int32x4_t low, int32x4_t high, const weights *by,
                            mve_pred16_t there) {
    int32x4_t sum =
        vaddq_s32(isopod_times(low, by->low, &by->lanes), isopod_times(high, by->high, &by->lanes));
    if (by->accumulates) {
        sum = vaddq_s32(sum, isopod_reduced(vldrwq_z_s32(out, there), &by->lanes));
    }
    vstrwq_p_s32(out, sum, there);
}

/* Words of pairs, `step` words from pair to pair, and the errors of the low coefficients. */
typedef struct {
    const int32_t *low, *high;
    const int8_t *error;
    int32_t step;
} source;

ISOPOD_INLINE void pairs(int32_t *out, source from, uint32_t count, const isopod_pair *shared) {
    const weights by = weights_of(shared);
    const int8_t *upper = from.error + shared->half;
    const uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)(from.step * 4));
    for (int32_t left = (int32_t)count; left > 0; left -= 4) {
        const mve_pred16_t there = vctp32q((uint32_t)left);
        add_four(out,
                 vaddq_s32(vldrbq_z_s32(from.error, there),
                           vldrwq_gather_offset_z_s32(from.low, offsets, there)),
                 vsubq_s32(vldrbq_z_s32(upper, there),
                           vldrwq_gather_offset_z_s32(from.high, offsets, there)),
                 &by, there);
        out += 4, from.error += 4, upper += 4;
        from.low += 4 * from.step, from.high += 4 * from.step;
    }
}

void isopod_pairs_up(int32_t *out, const int32_t *words, const int8_t *error, uint32_t count,
                     const isopod_pair *by) {
    const source from = {words, words + 1, error, 2};
    pairs(out, from, count, by);
}

void isopod_pairs_down(int32_t *out, const int32_t *words, const int8_t *error, uint32_t count,
                       const isopod_pair *by) {
    const source from = {words + 1, words, error, -2};
    pairs(out, from, count, by);
}

void isopod_pairs_error(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                        uint32_t count, const isopod_pair *shared) {
    const weights by = weights_of(shared);
    const int8_t *error = polynomial->error + j, *upper = error + shared->half;
    const mve_pred16_t all = vctp32q(4);
    for (const int32_t *end = out + count; out != end; out += 4, error += 4, upper += 4) {
        add_four(out, vldrbq_s32(error), vldrbq_s32(upper), &by, all);
    }
}

void isopod_pairs_ternary(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                          uint32_t count, const isopod_pair *shared) {
    const weights by = weights_of(shared);
    const uint32_t *words = (const uint32_t *)polynomial->words + j / 16;
    for (const int32_t *end = out + count; out != end; words++) {
        isopod_ternary_fields low = isopod_ternary_of(words[0]);
        isopod_ternary_fields high = isopod_ternary_of(words[shared->half / 16]);
        for (uint32_t i = 0; i < 4; i++, out += 4) {
            int32x4_t sum = vmulq_n_s32(isopod_ternary_next(&low), shared->low);
            sum = vmlaq_n_s32(sum, isopod_ternary_next(&high), shared->high);
            if (shared->accumulates) {
                sum = vaddq_s32(sum, isopod_reduced(vld1q_s32(out), &by.lanes));
            }
            vst1q_s32(out, sum);
        }
    }
}

#endif
