/* Products and reductions in the NTT domain (ring/pointwise.h, with the bounds) modulo a 32-bit
 * prime for NEON. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../ring/pointwise.h"

#include "../../ring/montgomery.h"
#include "product_lanes.h"

void isopod_multiply_add(int32_t *x, const int32_t *a, const uint32_t *key, uint32_t count,
                         const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime);
    for (const int32_t *end = x + count; x != end; x += 4, a += 4, key += 4) {
        const int32x4_t reduced = isopod_reduced(vld1q_s32(x), &lanes);
        vst1q_s32(x, isopod_sum(reduced, vld1q_s32(a), key, &lanes));
    }
}

void isopod_multiply_add_mask(int32_t *x, isopod_mask *mask, const uint32_t *key, uint32_t count) {
    uint32_t group[ISOPOD_MASK_GROUP];
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, group);
        isopod_multiply_add(x + i, (const int32_t *)group, key + i, ISOPOD_MASK_GROUP,
                            mask->at.prime);
    }
}

void isopod_reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime);
    for (const int32_t *end = x + count; x != end; x += 4) {
        vst1q_s32(x, isopod_reduced(vld1q_s32(x), &lanes));
    }
}

void isopod_canonical_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime);
    for (const int32_t *end = x + count; x != end; x += 4) {
        vst1q_s32(x, isopod_lanes_canonical(isopod_reduced(vld1q_s32(x), &lanes), &lanes));
    }
}

/* |redc| < q/2 + q/2 for |x| < 2^31 and a square below q < 2^30. */
void isopod_to_montgomery_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime);
    const isopod_root square =
        isopod_root_of(vdupq_n_s32((int32_t)prime->montgomery_square), &lanes);
    for (const int32_t *end = x + count; x != end; x += 4) {
        const int32x4_t value = isopod_times(vld1q_s32(x), square, lanes.q);
        vst1q_s32(x, isopod_lanes_canonical(value, &lanes));
    }
}

#endif
