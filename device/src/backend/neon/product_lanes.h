/* Products in the NTT domain on four lanes. */
#ifndef ISOPOD_NEON_PRODUCT_LANES_H
#define ISOPOD_NEON_PRODUCT_LANES_H

#include "butterfly.h"

/* Computes x + a*key, canonical. redc gives |a*key| < 3q/4; the caller guarantees |x| + 3q/4 <
 * 2^31: x reduced for primes above 27 bits, |x| <= 12 q for others. */
ISOPOD_INLINE int32x4_t isopod_sum(int32x4_t x, int32x4_t a, const uint32_t *key,
                                   const isopod_lanes *lanes) {
    const int32x4_t factor = vreinterpretq_s32_u32(vld1q_u32(key));
    const int32x4_t multiple = vmulq_s32(vmulq_s32(a, factor), lanes->inverse);
    const int32x4_t product = vhsubq_s32(vqdmulhq_s32(a, factor), vqdmulhq_s32(multiple, lanes->q));
    return isopod_lanes_canonical(isopod_reduced(vaddq_s32(x, product), lanes), lanes);
}

#endif
