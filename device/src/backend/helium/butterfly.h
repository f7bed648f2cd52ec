/* Montgomery arithmetic on four 32-bit lanes ([NEONNTT21]) for Helium, most factors being scalars.
 * vqdmulh gives floor(2*a*b / 2^32). The low words of x*w and of multiple*q are equal, so the sum
 * of such halves of x*w and of -multiple*q is twice the result, or one less where the low words are
 * not zero; vrhadd halves it and rounds up. No product saturates: only (-2^31)^2 would.
 *
 * Bounds. A product of |x| < 2^31 and |w| <= q/2 is within q*q/2^33 + q/2 < 0.75 q. A reduction
 * takes c = round(2^31 / q) for half the quotient's factor: |out| <= q/2 + |2^31 - c*q| * |x|/2^31.
 * For q < 2^30, in units of 2^30 and z = q/2^30: |out| <= 0.5 z + |2 - c*z| <= 0.8, at z = 0.8.
 * Then two layers give |out| <= 0.8 + 0.75 z + (0.8 + 0.75 z) z/8 + z/2 < 1.95, below 2^31. */
#ifndef ISOPOD_HELIUM_BUTTERFLY_H
#define ISOPOD_HELIUM_BUTTERFLY_H

#include <arm_mve.h>
#include <stddef.h>

#include "../../base/word.h"

#define ISOPOD_INLINE static inline __attribute__((always_inline))

/* Constants of a prime; `half` is c above. */
typedef struct {
    int32_t minus_q, half;
    uint32_t inverse; /* q^-1 mod 2^32 */
} isopod_lanes;

/* Hides an address, which then stays in a register; gcc computes known ones from each other. */
#define ISOPOD_HIDE(address) __asm__("" : "+r"(address))

/* A root in Montgomery form, and times q^-1 mod 2^32. */
typedef struct {
    int32_t w, v;
} isopod_root;

/* The addresses of four lanes that lie `bytes` apart. */
ISOPOD_INLINE uint32x4_t isopod_lanes_from(const void *start, uint32_t bytes) {
    return vaddq_n_u32(vmulq_n_u32(vidupq_n_u32(0, 1), bytes), (uint32_t)(uintptr_t)start);
}

/* Reduces neither x[0] nor x[1], x[0] alone, or both. */
typedef enum { ISOPOD_AS_IS, ISOPOD_REDUCE_FIRST, ISOPOD_REDUCE } isopod_reduction;

ISOPOD_INLINE isopod_lanes isopod_lanes_of(uint32_t modulus, uint32_t negative_inverse) {
    isopod_lanes lanes = {-(int32_t)modulus, (int32_t)((0x80000000u + modulus / 2) / modulus),
                          0u - negative_inverse};
    return lanes;
}

ISOPOD_INLINE isopod_root isopod_root_of(int32_t w, const isopod_lanes *lanes) {
    isopod_root root = {w, (int32_t)((uint32_t)w * lanes->inverse)};
    return root;
}

ISOPOD_INLINE int32x4_t isopod_times(int32x4_t x, isopod_root root, const isopod_lanes *lanes) {
    int32x4_t multiple = vmulq_n_s32(x, root.v);
    return vrhaddq_s32(vqdmulhq_n_s32(x, root.w), vqdmulhq_n_s32(multiple, lanes->minus_q));
}

/* isopod_times by roots that differ from lane to lane. */
ISOPOD_INLINE int32x4_t isopod_times_each(int32x4_t x, int32x4_t w, const isopod_lanes *lanes) {
    int32x4_t multiple = vmulq_s32(x, vmulq_n_s32(w, (int32_t)lanes->inverse));
    return vrhaddq_s32(vqdmulhq_s32(x, w), vqdmulhq_n_s32(multiple, lanes->minus_q));
}

ISOPOD_INLINE int32x4_t isopod_reduced(int32x4_t x, const isopod_lanes *lanes) {
    return vmlaq_n_s32(x, vqrdmulhq_n_s32(x, lanes->half), lanes->minus_q);
}

/* The canonical residues of -q < x < q. */
ISOPOD_INLINE int32x4_t isopod_lanes_canonical(int32x4_t x, const isopod_lanes *lanes) {
    return vmlaq_n_s32(x, vshrq_n_s32(x, 31), lanes->minus_q);
}

/* Two layers on four vectors, in place: w[0] of the first, w[1] and w[2] of the second. */
ISOPOD_INLINE void isopod_butterfly(int32x4_t x[4], const isopod_root w[3],
                                    const isopod_lanes *lanes, isopod_reduction reduction) {
    int32x4_t x2 = isopod_times(x[2], w[0], lanes);
    int32x4_t x3 = isopod_times(x[3], w[0], lanes);
    int32x4_t x0 = reduction != ISOPOD_AS_IS ? isopod_reduced(x[0], lanes) : x[0];
    int32x4_t x1 = reduction == ISOPOD_REDUCE ? isopod_reduced(x[1], lanes) : x[1];
    int32x4_t b1 = isopod_times(vaddq_s32(x1, x3), w[1], lanes);
    int32x4_t b3 = isopod_times(vsubq_s32(x1, x3), w[2], lanes);
    int32x4_t b0 = vaddq_s32(x0, x2), b2 = vsubq_s32(x0, x2);
    x[0] = vaddq_s32(b0, b1);
    x[1] = vsubq_s32(b0, b1);
    x[2] = vaddq_s32(b2, b3);
    x[3] = vsubq_s32(b2, b3);
}

#endif
