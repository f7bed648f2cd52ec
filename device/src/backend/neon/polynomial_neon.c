/* Loads of compact polynomials and their NTT (ring/polynomial.h) for NEON: for primes of up to 27
 * bits the first two layers are computed while coefficients are loaded. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../ring/polynomial.h"

#include "../../encode/encode.h"
#include "butterfly.h"
#include "layers.h"

ISOPOD_INLINE int32x4x2_t widened(const int8_t *error) {
    const int16x8_t words = vmovl_s8(vld1_s8(error));
    const int32x4x2_t out = {{vmovl_s16(vget_low_s16(words)), vmovl_s16(vget_high_s16(words))}};
    return out;
}

void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 8) {
        const int32x4x2_t error = widened(polynomial->error + first + i);
        vst1q_s32(out + i, error.val[0]);
        vst1q_s32(out + i + 4, error.val[1]);
    }
}

void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           int32_t out[ISOPOD_FOLD_BLOCK]) {
    isopod_load_error(polynomial, first, out);
    isopod_message32_add(polynomial->words, polynomial->n, first, out);
}

void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]) {
    static const int32_t shifts[4] = {0, -2, -4, -6};
    const int32x4_t factor = vdupq_n_s32(polynomial->factor);
    const uint32_t symbols = ((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK];
    uint32x4_t lanes = vshlq_u32(vdupq_n_u32(symbols), vld1q_s32(shifts));
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4, lanes = vshrq_n_u32(lanes, 8)) {
        const int32x4_t symbol = vreinterpretq_s32_u32(vandq_u32(lanes, vdupq_n_u32(3)));
        vst1q_s32(out + i, vsubq_s32(vmulq_s32(symbol, factor), factor));
    }
}

/* The place and twiddles of the first two layers of the whole transform. */
typedef struct {
    isopod_roots roots;
    isopod_lanes lanes;
    int32_t *out;
    uint32_t quarter;
} first_pair;

ISOPOD_INLINE void first_butterfly(const first_pair *to, uint32_t i, int32x4_t four[4]) {
    isopod_butterfly(four, &to->roots, &to->lanes, ISOPOD_REDUCE);
#pragma GCC unroll 8
    for (uint32_t p = 0; p < 4; p++) {
        vst1q_s32(to->out + i + p * to->quarter, four[p]);
    }
}

/* Loads any polynomial, 16 coefficients of each quarter at a time. */
static void load_blocks(const first_pair *to, const isopod_polynomial *polynomial) {
    int32_t parts[4][ISOPOD_FOLD_BLOCK];
    for (uint32_t first = 0; first < to->quarter; first += ISOPOD_FOLD_BLOCK) {
#pragma GCC unroll 8
        for (uint32_t p = 0; p < 4; p++) {
            polynomial->load(polynomial, first + p * to->quarter, parts[p]);
        }
        for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
            int32x4_t four[4] = {vld1q_s32(parts[0] + i), vld1q_s32(parts[1] + i),
                                 vld1q_s32(parts[2] + i), vld1q_s32(parts[3] + i)};
            first_butterfly(to, first + i, four);
        }
    }
}

ISOPOD_INLINE int32x4_t backwards(int32x4_t x) {
    x = vrev64q_s32(x);
    return vcombine_s32(vget_high_s32(x), vget_low_s32(x));
}

/* Loads eight coefficients k, .. of each quarter: packed words 2k, 2(M-k)+1, 2k+1 and 2(M-k). */
ISOPOD_INLINE void load_eight(const first_pair *to, const isopod_polynomial *polynomial,
                              uint32_t k) {
    const int32_t *message = polynomial->words;
    const int8_t *error = polynomial->error + k;
    const int32x4x2_t e0 = widened(error), e1 = widened(error + to->quarter);
    const int32x4x2_t e2 = widened(error + 2 * to->quarter), e3 = widened(error + 3 * to->quarter);
#pragma GCC unroll 8
    for (uint32_t h = 0; h < 2; h++) {
        const int32x4x2_t up = vld2q_s32(message + 2 * (k + 4 * h));
        const int32x4x2_t down = vld2q_s32(message + 2 * (to->quarter - k - 4 * h - 3));
        int32x4_t four[4] = {
            vaddq_s32(e0.val[h], up.val[0]), vaddq_s32(e1.val[h], backwards(down.val[1])),
            vsubq_s32(e2.val[h], up.val[1]), vsubq_s32(e3.val[h], backwards(down.val[0]))};
        first_butterfly(to, k + 4 * h, four);
    }
}

/* The first coefficient of a quarter is an exception: its block comes from isopod_load_message32.
 */
static void load_message(const first_pair *shared, const isopod_polynomial *polynomial) {
    const first_pair to = *shared;
    int32_t parts[4][ISOPOD_FOLD_BLOCK];
#pragma GCC unroll 8
    for (uint32_t p = 0; p < 4; p++) {
        isopod_load_message32(polynomial, p * to.quarter, parts[p]);
    }
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i += 4) {
        int32x4_t four[4] = {vld1q_s32(parts[0] + i), vld1q_s32(parts[1] + i),
                             vld1q_s32(parts[2] + i), vld1q_s32(parts[3] + i)};
        first_butterfly(&to, i, four);
    }
    for (uint32_t k = 8; k < to.quarter; k += 8) {
        load_eight(&to, polynomial, k);
    }
}

static void load_pair(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    first_pair to = {.lanes = isopod_lanes_of(ntt->prime), .out = out, .quarter = ntt->length / 4};
    to.roots = isopod_roots_at(ntt->twiddles, 1, &to.lanes);
    if (polynomial->load == isopod_load_message32) {
        load_message(&to, polynomial);
    } else {
        load_blocks(&to, polynomial);
    }
}

void isopod_neon_head(int32_t *x, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    if (ntt->chunks == 1) {
        load_pair(x, polynomial, ntt);
        isopod_neon_middle(x, ntt, 4);
    } else {
        isopod_polynomial_fold(x, polynomial, ntt);
        isopod_neon_middle(x, ntt, ntt->chunks);
    }
}

void isopod_polynomial_ntt(int32_t *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        isopod_neon_head(out, polynomial, ntt);
        isopod_neon_last(out, ntt);
    } else {
        isopod_polynomial_fold(out, polynomial, ntt);
        isopod_ntt_layers(out, ntt);
    }
}

const uint8_t isopod_reads_lean_tables = 0;

#endif
