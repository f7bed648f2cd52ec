/* Montgomery arithmetic on four 32-bit lanes ([NEONNTT21]), for AArch64 and Armv7-A alike.
 *
 * vqdmulh gives floor(2*a*b / 2^32). The low words of x*w and of multiple*q are equal, so the
 * difference of two such halves is exactly twice the result, and vhsub halves it. No product
 * saturates: only (-2^31)^2 would. Bounds as in montgomery.h and, for primes of up to 27 bits, as
 * in ../rv32im/butterfly.h with a centred first reduction: |x| <= (3/4 + 3l/4) q after l layers. */
#ifndef ISOPOD_NEON_BUTTERFLY_H
#define ISOPOD_NEON_BUTTERFLY_H

#include <arm_neon.h>
#include <stddef.h>

#include "../../ring/ntt.h"

#define ISOPOD_PRIME27_MODULUS ((uint32_t)1 << 27)
#define ISOPOD_INLINE static inline __attribute__((always_inline))

/* Constants of a prime in all lanes. */
typedef struct {
    int32x4_t q;
    int32x4_t inverse; /* q^-1 mod 2^32 */
    int32x4_t barrett;
} isopod_lanes;

/* A root in Montgomery form, and times q^-1 mod 2^32. */
typedef struct {
    int32x4_t w;
    int32x4_t v;
} isopod_root;

typedef struct {
    isopod_root w[3];
} isopod_roots;

ISOPOD_INLINE isopod_lanes isopod_lanes_of(const isopod_prime *prime) {
    isopod_lanes lanes = {vdupq_n_s32((int32_t)prime->modulus),
                          vdupq_n_s32((int32_t)(0u - prime->negative_inverse)),
                          vdupq_n_s32((int32_t)prime->barrett)};
    return lanes;
}

ISOPOD_INLINE isopod_root isopod_root_of(int32x4_t w, const isopod_lanes *lanes) {
    isopod_root root = {w, vmulq_s32(w, lanes->inverse)};
    return root;
}

/* |result| <= |x*w| / 2^32 + q/2 */
ISOPOD_INLINE int32x4_t isopod_times(int32x4_t x, isopod_root root, int32x4_t q) {
    int32x4_t multiple = vmulq_s32(x, root.v);
    return vhsubq_s32(vqdmulhq_s32(x, root.w), vqdmulhq_s32(multiple, q));
}

/* isopod_reduce: rounding half of twice the quotient rounds the quotient. */
ISOPOD_INLINE int32x4_t isopod_reduced(int32x4_t x, const isopod_lanes *lanes) {
    int32x4_t quotient = vrshrq_n_s32(vqdmulhq_s32(x, lanes->barrett), 1);
    return vmlsq_s32(x, quotient, lanes->q);
}

/* The canonical residues of -q < x < q. */
ISOPOD_INLINE int32x4_t isopod_lanes_canonical(int32x4_t x, const isopod_lanes *lanes) {
    return vmlsq_s32(x, vshrq_n_s32(x, 31), lanes->q);
}

typedef enum { ISOPOD_AS_IS, ISOPOD_REDUCE } isopod_reduction;

/* Two layers on four vectors, in place: w[0] of the first, w[1] and w[2] of the second. */
ISOPOD_INLINE void isopod_butterfly(int32x4_t x[4], const isopod_roots *roots,
                                    const isopod_lanes *lanes, isopod_reduction reduction) {
    int32x4_t x2 = isopod_times(x[2], roots->w[0], lanes->q);
    int32x4_t x3 = isopod_times(x[3], roots->w[0], lanes->q);
    int32x4_t x0 = reduction == ISOPOD_REDUCE ? isopod_reduced(x[0], lanes) : x[0];
    int32x4_t x1 = reduction == ISOPOD_REDUCE ? isopod_reduced(x[1], lanes) : x[1];
    int32x4_t b1 = isopod_times(vaddq_s32(x1, x3), roots->w[1], lanes->q);
    int32x4_t b3 = isopod_times(vsubq_s32(x1, x3), roots->w[2], lanes->q);
    int32x4_t b0 = vaddq_s32(x0, x2), b2 = vsubq_s32(x0, x2);
    x[0] = vaddq_s32(b0, b1);
    x[1] = vsubq_s32(b0, b1);
    x[2] = vaddq_s32(b2, b3);
    x[3] = vsubq_s32(b2, b3);
}

/* The roots of one block, number `at` of its layer, in all lanes. */
ISOPOD_INLINE isopod_roots isopod_roots_at(const int32_t *twiddles, uint32_t at,
                                           const isopod_lanes *lanes) {
    const int32_t *second = twiddles + (size_t)2 * at;
    isopod_roots roots = {{isopod_root_of(vld1q_dup_s32(twiddles + at), lanes),
                           isopod_root_of(vld1q_dup_s32(second), lanes),
                           isopod_root_of(vld1q_dup_s32(second + 1), lanes)}};
    return roots;
}

/* The last two layers: blocks at .. at+3 of four neighbours each, one per lane. */
ISOPOD_INLINE void isopod_last_butterfly(int32x4_t four[4], const int32_t *x, const isopod_ntt *ntt,
                                         uint32_t at, const isopod_lanes *lanes,
                                         isopod_reduction reduction) {
    const int32x4x2_t second = vld2q_s32(ntt->twiddles + (size_t)2 * at);
    const isopod_roots roots = {{isopod_root_of(vld1q_s32(ntt->twiddles + at), lanes),
                                 isopod_root_of(second.val[0], lanes),
                                 isopod_root_of(second.val[1], lanes)}};
    const int32x4x4_t in = vld4q_s32(x);
    four[0] = in.val[0], four[1] = in.val[1], four[2] = in.val[2], four[3] = in.val[3];
    isopod_butterfly(four, &roots, lanes, reduction);
}

/* The number of the first block of this chunk in the last two layers. */
ISOPOD_INLINE uint32_t isopod_last_blocks(const isopod_ntt *ntt) {
    return ntt->length / 4 * (ntt->chunks + (uint32_t)ntt->chunk);
}

#endif
