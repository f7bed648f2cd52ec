/* The first pass of the NTT of a compact polynomial of degree 4096, and its fold into a quarter
 * chunk, for Helium, in place of polynomial_first.S. Message words are within 2^30 and errors
 * within 21, so that |x1 +- x3*w1| < 2^30 + 0.7 q, and every output stays below 1.95 * 2^30 as in
 * butterfly.h; for primes of up to 27 bits, below 2.2 q.
 *
 * A fold adds two products, within 0.63 q each, to the reduced sum of a word and a third one: |out|
 * is within 0.5 z + |2 - c*z| * 0.82 + 1.26 z < 1.8 in units of 2^30 with z = q/2^30. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

/* Addresses with offsets instead of copies of them that increase. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-auto-inc-dec")
#endif

#include "../armv7em/ring/polynomial_first.h"
#include "butterfly.h"
#include "symbols.h"

#define QUARTER 1024

/* w: of the first layer and of both halves of the second; w12: that of a fold's fourth part. */
typedef struct {
    isopod_root w[3], w12;
    isopod_lanes lanes;
} first_roots;

ISOPOD_INLINE first_roots roots_of(const isopod_first *from) {
    first_roots roots = {.lanes = isopod_lanes_of(from->modulus, from->negative_inverse)};
    roots.w[0] = isopod_root_of(from->twiddles[0], &roots.lanes);
    roots.w[1] = isopod_root_of(from->twiddles[1], &roots.lanes);
    roots.w[2] = isopod_root_of(from->twiddles[3], &roots.lanes);
    roots.w12 = isopod_root_of(from->twiddles[2], &roots.lanes);
    return roots;
}

ISOPOD_INLINE void store_first(int32_t *out, int32x4_t four[4], const first_roots *roots) {
    isopod_butterfly(four, roots->w, &roots->lanes, ISOPOD_REDUCE_FIRST);
    vst1q_s32(out, four[0]);
    vst1q_s32(out + QUARTER, four[1]);
    vst1q_s32(out + 2 * QUARTER, four[2]);
    vst1q_s32(out + 3 * QUARTER, four[3]);
}

ISOPOD_INLINE void store_fold(int32_t *out, int32x4_t four[4], const first_roots *roots) {
    const isopod_lanes *lanes = &roots->lanes;
    int32x4_t sum = vaddq_s32(four[0], isopod_times(four[2], roots->w[0], lanes));
    sum = vaddq_s32(isopod_reduced(sum, lanes), isopod_times(four[1], roots->w[1], lanes));
    vst1q_s32(out, vaddq_s32(sum, isopod_times(four[3], roots->w12, lanes)));
}

ISOPOD_INLINE void store(int32_t *out, int32x4_t four[4], const first_roots *roots,
                         uint32_t is_fold) {
    if (is_fold) {
        store_fold(out, four, roots);
    } else {
        store_first(out, four, roots);
    }
}

ISOPOD_INLINE int32x4_t load_error(const int8_t *error, uint32_t part) {
    return vldrbq_s32(error + part * QUARTER);
}

/* Four outputs of each quarter at a time, or of the one quarter of a fold. */
ISOPOD_INLINE void rows(int32_t *out, const isopod_first *from, const first_roots *shared,
                        const int32_t *end, uint32_t is_fold) {
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
        store(out, four, &roots, is_fold);
    }
}

static void first_rows(int32_t *out, const isopod_first *from, const first_roots *roots,
                       const int32_t *end) {
    rows(out, from, roots, end, 0);
}

static void fold_rows(int32_t *out, const isopod_first *from, const first_roots *roots,
                      const int32_t *end) {
    rows(out, from, roots, end, 1);
}

typedef void rows_function(int32_t *out, const isopod_first *from, const first_roots *roots,
                           const int32_t *end);

/* Outputs 1 to 1020 of each quarter, and 1020 to 1023. */
ISOPOD_INLINE void message(int32_t *out, const isopod_first *from, rows_function *run) {
    const first_roots roots = roots_of(from);
    isopod_first last = *from;
    last.up += 2 * (QUARTER - 5);
    last.down -= 2 * (QUARTER - 5);
    last.error += QUARTER - 5;
    run(out + 1, from, &roots, out + QUARTER - 3);
    run(out + QUARTER - 4, &last, &roots, out + QUARTER);
}

void isopod_first_message(int32_t *out, const isopod_first *from) {
    message(out, from, first_rows);
}

void isopod_fold_message(int32_t *out, const isopod_first *from) {
    message(out, from, fold_rows);
}

ISOPOD_INLINE void errors(int32_t *out, const isopod_first *from, uint32_t is_fold) {
    const first_roots roots = roots_of(from);
    const int8_t *error = from->error;
    for (const int32_t *end = out + QUARTER; out != end; out += 4, error += 4) {
        int32x4_t four[4] = {load_error(error, 0), load_error(error, 1), load_error(error, 2),
                             load_error(error, 3)};
        store(out, four, &roots, is_fold);
    }
}

void isopod_first_error(int32_t *out, const isopod_first *from) {
    errors(out, from, 0);
}

void isopod_fold_error(int32_t *out, const isopod_first *from) {
    errors(out, from, 1);
}

/* Sixteen coefficients of each quarter. */
typedef struct {
    isopod_ternary_fields quarter[4];
} four_symbols;

ISOPOD_INLINE four_symbols symbols_of(const uint32_t *words) {
    const four_symbols symbols = {
        {isopod_ternary_of(words[0]), isopod_ternary_of(words[QUARTER / 16]),
         isopod_ternary_of(words[QUARTER / 8]), isopod_ternary_of(words[3 * QUARTER / 16])}};
    return symbols;
}

/* a*v + b*w */
ISOPOD_INLINE int32x4_t dot(int32x4_t a, int32_t v, int32x4_t b, int32_t w) {
    return vmlaq_n_s32(vmulq_n_s32(a, v), b, w);
}

void isopod_first_ternary(int32_t *out, const uint32_t *words, const int32_t w[6]) {
    const int32_t w1 = w[0], w2 = w[1], w12 = w[2], w3 = w[3], w13 = w[4], factor = w[5];
    for (const int32_t *end = out + QUARTER; out != end; words++) {
        four_symbols from = symbols_of(words);
        for (uint32_t i = 0; i < 4; i++, out += 4) {
            const int32x4_t x0 = isopod_ternary_next(&from.quarter[0]);
            const int32x4_t x1 = isopod_ternary_next(&from.quarter[1]);
            const int32x4_t x2 = isopod_ternary_next(&from.quarter[2]);
            const int32x4_t x3 = isopod_ternary_next(&from.quarter[3]);
            const int32x4_t sum = dot(x0, factor, x2, w1), difference = dot(x0, factor, x2, -w1);
            const int32x4_t u1 = dot(x1, w2, x3, w12), u3 = dot(x1, w3, x3, w13);
            vst1q_s32(out, vaddq_s32(sum, u1));
            vst1q_s32(out + QUARTER, vsubq_s32(sum, u1));
            vst1q_s32(out + 2 * QUARTER, vaddq_s32(difference, u3));
            vst1q_s32(out + 3 * QUARTER, vsubq_s32(difference, u3));
        }
    }
}

void isopod_fold_ternary(int32_t *out, const uint32_t *words, const int32_t w[6]) {
    const int32_t w1 = w[0], w2 = w[1], w12 = w[2], factor = w[5];
    for (const int32_t *end = out + QUARTER; out != end; words++) {
        four_symbols from = symbols_of(words);
        for (uint32_t i = 0; i < 4; i++, out += 4) {
            int32x4_t sum = vmulq_n_s32(isopod_ternary_next(&from.quarter[0]), factor);
            sum = vmlaq_n_s32(sum, isopod_ternary_next(&from.quarter[1]), w2);
            sum = vmlaq_n_s32(sum, isopod_ternary_next(&from.quarter[2]), w1);
            vst1q_s32(out, vmlaq_n_s32(sum, isopod_ternary_next(&from.quarter[3]), w12));
        }
    }
}

typedef struct {
    isopod_root w1, w2, w12, w3, w13, factor;
    isopod_lanes lanes;
} integer_roots;

ISOPOD_INLINE integer_roots integer_roots_of(const int32_t w[6], const isopod_prime *prime) {
    integer_roots roots = {.lanes = isopod_lanes_of(prime->modulus, prime->negative_inverse)};
    roots.w1 = isopod_root_of(w[0], &roots.lanes), roots.w2 = isopod_root_of(w[1], &roots.lanes);
    roots.w12 = isopod_root_of(w[2], &roots.lanes), roots.w3 = isopod_root_of(w[3], &roots.lanes);
    roots.w13 = isopod_root_of(w[4], &roots.lanes);
    roots.factor = isopod_root_of(w[5], &roots.lanes);
    return roots;
}

/* |words| < 21.5 * 2^26 and |w| < 0.52 q, so that a product is within 0.68 q. The first sum and the
 * first difference of two are reduced: |out| < 1.36 q + 0.5 q + 0.34 q, and below 1.9 * 2^30. */
void isopod_first_integers(int32_t *out, const int32_t *words, const int32_t w[6],
                           const isopod_prime *prime) {
    const integer_roots by = integer_roots_of(w, prime);
    const isopod_lanes *lanes = &by.lanes;
    for (const int32_t *end = out + QUARTER; out != end; out += 4, words += 4) {
        const int32x4_t x0 = isopod_times(vld1q_s32(words), by.factor, lanes);
        const int32x4_t x2 = isopod_times(vld1q_s32(words + 2 * QUARTER), by.w1, lanes);
        const int32x4_t x1 = vld1q_s32(words + QUARTER), x3 = vld1q_s32(words + 3 * QUARTER);
        const int32x4_t u1 =
            vaddq_s32(isopod_times(x1, by.w2, lanes), isopod_times(x3, by.w12, lanes));
        const int32x4_t u3 =
            vaddq_s32(isopod_times(x1, by.w3, lanes), isopod_times(x3, by.w13, lanes));
        const int32x4_t sum = isopod_reduced(vaddq_s32(x0, x2), lanes);
        const int32x4_t difference = isopod_reduced(vsubq_s32(x0, x2), lanes);
        vst1q_s32(out, vaddq_s32(sum, u1));
        vst1q_s32(out + QUARTER, vsubq_s32(sum, u1));
        vst1q_s32(out + 2 * QUARTER, vaddq_s32(difference, u3));
        vst1q_s32(out + 3 * QUARTER, vsubq_s32(difference, u3));
    }
}

void isopod_fold_integers(int32_t *out, const int32_t *words, const int32_t w[6],
                          const isopod_prime *prime) {
    const integer_roots by = integer_roots_of(w, prime);
    const isopod_lanes *lanes = &by.lanes;
    for (const int32_t *end = out + QUARTER; out != end; out += 4, words += 4) {
        const int32x4_t x0 = isopod_times(vld1q_s32(words), by.factor, lanes);
        const int32x4_t x2 = isopod_times(vld1q_s32(words + 2 * QUARTER), by.w1, lanes);
        const int32x4_t x1 = isopod_times(vld1q_s32(words + QUARTER), by.w2, lanes);
        const int32x4_t x3 = isopod_times(vld1q_s32(words + 3 * QUARTER), by.w12, lanes);
        vst1q_s32(out, vaddq_s32(isopod_reduced(vaddq_s32(x0, x2), lanes), vaddq_s32(x1, x3)));
    }
}

#endif
