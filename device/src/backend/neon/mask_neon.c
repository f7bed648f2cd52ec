/* The uniform mask from bit fields of a stream (spec/ckks.md, section 3.3) for NEON, eight fields
 * at a time. Everything here is public. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "fields.h"
#include "mask_group.h"

/* The plan of unpacking eight fields, in two halves of four that begin at bytes 0 and bits/2 with
 * `odd` bits to skip. A field consists of bytes chosen by `low`, shifted right, and one byte chosen
 * by `high`, shifted left. */
typedef struct {
    uint8x16_t low[2];
    uint8x16_t high[2];
    int32x4_t right[2];
    int32x4_t left[2];
    uint32x4_t keep;
    uint32x4_t last;
} field_plan;

static void plan_half(field_plan *plan, uint32_t half, uint32_t bits) {
    uint8_t low[16], high[16];
    int32_t right[4], left[4];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = (4 * half + i) * bits - 8 * (half * bits / 2);
#pragma GCC unroll 8
        for (uint32_t b = 0; b < 4; b++) {
            low[4 * i + b] = (uint8_t)(at / 8 + b);
            high[4 * i + b] = b == 0 ? (uint8_t)(at / 8 + 4) : 255;
        }
        right[i] = -(int32_t)(at % 8);
        left[i] = 32 - (int32_t)(at % 8);
    }
    plan->low[half] = vld1q_u8(low), plan->high[half] = vld1q_u8(high);
    plan->right[half] = vld1q_s32(right), plan->left[half] = vld1q_s32(left);
}

static field_plan plan_of(const isopod_prime *prime) {
    field_plan plan = {.keep = vdupq_n_u32((1u << prime->bits) - 1u),
                       .last = vdupq_n_u32(prime->modulus - 1u)};
    plan_half(&plan, 0, prime->bits);
    plan_half(&plan, 1, prime->bits);
    return plan;
}

static inline __attribute__((always_inline)) uint32x4_t
four_fields(const uint8_t *in, const field_plan *plan, uint32_t half) {
    const uint8x16_t bytes = vld1q_u8(in);
    const uint32x4_t low = vreinterpretq_u32_u8(isopod_lookup(bytes, plan->low[half]));
    const uint32x4_t high = vreinterpretq_u32_u8(isopod_lookup(bytes, plan->high[half]));
    return vandq_u32(
        vorrq_u32(vshlq_u32(low, plan->right[half]), vshlq_u32(high, plan->left[half])),
        plan->keep);
}

void isopod_neon_mask(isopod_mask *mask, uint32_t *out, uint32_t count) {
    const field_plan plan = plan_of(mask->at.prime);
    const uint32_t bits = mask->at.prime->bits;
    const uint32_t words = count / ISOPOD_MASK_GROUP * bits;
    uint32_t candidates[ISOPOD_NEON_MASK_MOST + 4];
    const uint8_t *in = (const uint8_t *)candidates;
    uint32x4_t over = vdupq_n_u32(0);
    isopod_stream_words(&mask->source.streams.candidates, candidates, words);
    vst1q_u32(candidates + words, vdupq_n_u32(0)); /* loads of 16 bytes pass the end */
    for (uint32_t i = 0; i < count; i += 8, in += bits) {
        const uint32x4_t first = four_fields(in, &plan, 0);
        const uint32x4_t second = four_fields(in + bits / 2, &plan, 1);
        over =
            vorrq_u32(over, vorrq_u32(vcgtq_u32(first, plan.last), vcgtq_u32(second, plan.last)));
        vst1q_u32(out + i, first);
        vst1q_u32(out + i + 4, second);
    }
    const uint32x2_t any = vorr_u32(vget_low_u32(over), vget_high_u32(over));
    if ((vget_lane_u32(any, 0) | vget_lane_u32(any, 1)) != 0) {
        isopod_mask_replace(mask, out, count);
    }
}

void isopod_mask_fields_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP]) {
    isopod_neon_mask(mask, out, ISOPOD_MASK_GROUP);
}

#endif
