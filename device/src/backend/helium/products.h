/* Products in the NTT domain on four lanes. */
#ifndef ISOPOD_HELIUM_PRODUCTS_H
#define ISOPOD_HELIUM_PRODUCTS_H

#include "butterfly.h"

/* The operands of products. key: canonical residues in Montgomery form. */
typedef struct {
    const int32_t *x;
    const int32_t *a;
    const uint32_t *key;
} isopod_factors;

/* Constants of a prime; one: R mod q, centred. */
typedef struct {
    isopod_lanes lanes;
    int32_t one;
} isopod_product_lanes;

/* Computes x + a*key, canonical, of `count` residues, a multiple of four, |x| < 2^31: one reduction
 * of x*one + a*key. The halves of the two products are rounded down separately, so their sum may be
 * one less than half of the sum. The difference is twice the result; rounding it to the next even
 * number corrects this. |result| < q as in ring/pointwise.h. */
ISOPOD_INLINE void isopod_products(int32_t *out, const isopod_factors *of, uint32_t count,
                                   const isopod_product_lanes *shared) {
    const int32_t *x = of->x, *a = of->a, *key = (const int32_t *)of->key;
    const isopod_product_lanes by = *shared;
    for (const int32_t *end = out + count; out != end; out += 4, x += 4, a += 4, key += 4) {
        int32x4_t value = vld1q_s32(x), left = vld1q_s32(a), right = vld1q_s32(key);
        int32x4_t low = vmlaq_n_s32(vmulq_s32(left, right), value, by.one);
        int32x4_t high = vaddq_s32(vqdmulhq_s32(left, right), vqdmulhq_n_s32(value, by.one));
        int32x4_t multiple = vmulq_n_s32(low, (int32_t)by.lanes.inverse);
        high = vrshrq_n_s32(vsubq_s32(high, vqdmulhq_n_s32(multiple, -by.lanes.minus_q)), 1);
        vst1q_s32(out, isopod_lanes_canonical(high, &by.lanes));
    }
}

#endif
