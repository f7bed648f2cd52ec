/* Products in the NTT domain on four lanes. */
#ifndef ISOPOD_HELIUM_PRODUCTS_H
#define ISOPOD_HELIUM_PRODUCTS_H

#include "butterfly.h"

/* The operands of products. key: canonical residues in Montgomery form. */
typedef struct {
    const int32_t *x;
    const int32_t *a;
    const uint32_t *key;
    int32_t one; /* R mod q, centred */
} isopod_factors;

/* Computes x + a*key, canonical, of `count` residues, a multiple of four, |x| < 2^31: one reduction
 * of x*one + a*key. The halves of the two products are rounded down apart, so that they may fall
 * short of the half of the sum by one; rounding the difference, twice the result, to the next even
 * number makes up for it. |result| < q as in ring/pointwise.h. */
ISOPOD_INLINE void isopod_products(int32_t *out, const isopod_factors *of, uint32_t count,
                                   const isopod_lanes *lanes) {
    const int32_t *x = of->x, *a = of->a;
    const int32_t *key = (const int32_t *)of->key;
#pragma GCC unroll 2
    for (uint32_t i = 0; i < count; i += 4) {
        int32x4_t value = vld1q_s32(x + i), left = vld1q_s32(a + i), right = vld1q_s32(key + i);
        int32x4_t low = vmlaq_n_s32(vmulq_s32(left, right), value, of->one);
        int32x4_t high = vaddq_s32(vqdmulhq_s32(left, right), vqdmulhq_n_s32(value, of->one));
        int32x4_t multiple = vmulq_n_s32(low, (int32_t)lanes->inverse);
        high = vrshrq_n_s32(vsubq_s32(high, vqdmulhq_n_s32(multiple, lanes->q)), 1);
        vst1q_s32(out + i, isopod_lanes_canonical(high, lanes));
    }
}

#endif
