/* Loads of coefficients from their compact forms (ring/polynomial.h) for Helium, and the words of
 * BFV (encode/integers.h, with its bounds). */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../encode/integers.h"
#include "../../ring/polynomial.h"
#include "symbols.h"

void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int8_t *error = polynomial->error + first;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
        vst1q_s32(out + i, vldrbq_s32(error + i));
    }
}

/* Adds every other word from `at` on, upwards or downwards, times the sign, to the coefficients
 * from `out` to `end`. Words beyond those are not read. */
ISOPOD_INLINE void add_words(int32_t *out, const int32_t *end, const int32_t *at, int32_t step,
                             int32_t sign) {
    const uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)(step * 4));
    for (int32_t left = (int32_t)(end - out); left > 0; left -= 4, out += 4, at += 4 * step) {
        const mve_pred16_t there = vctp32q((uint32_t)left);
        const int32x4_t words = vldrwq_gather_offset_z_s32(at, offsets, there);
        vstrwq_p_s32(out, vmlaq_n_s32(vldrwq_z_s32(out, there), words, sign), there);
    }
}

/* Within a quarter of the coefficients the packed words go up or down in steps of two and have one
 * sign. The first coefficient of a quarter is an exception. */
void isopod_message32_add(const int32_t *message, uint32_t n, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    const uint32_t m = n / 4, t = first & (m - 1), quarter = first / m, is_down = quarter & 1u;
    const int32_t exceptions[4] = {message[0], message[1], 0, -message[1]};
    const int32_t *at = message + 2 * (is_down ? m - t : t) + (quarter == 1 || quarter == 2);
    const int32_t *end = out + ISOPOD_FOLD_BLOCK;
    const int32_t step = is_down ? -2 : 2;
    if (t == 0) {
        *out++ += exceptions[quarter];
        at += step;
    }
    add_words(out, end, at, step, quarter >= 2 ? -1 : 1);
}

void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           int32_t out[ISOPOD_FOLD_BLOCK]) {
    isopod_load_error(polynomial, first, out);
    isopod_message32_add(polynomial->words, polynomial->n, first, out);
}

void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]) {
    isopod_ternary_fields symbols =
        isopod_ternary_of(((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK]);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
        vst1q_s32(out + i, vmulq_n_s32(isopod_ternary_next(&symbols), polynomial->factor));
    }
}

void isopod_load_integers(const isopod_polynomial *polynomial, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    const isopod_prime *prime = polynomial->prime;
    const isopod_lanes lanes = isopod_lanes_of(prime->modulus, prime->negative_inverse);
    const isopod_root factor = isopod_root_of(polynomial->factor, &lanes);
    const int32_t *words = (const int32_t *)polynomial->words + first;
    const int8_t *error = polynomial->error;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
        int32x4_t value = isopod_times(vld1q_s32(words + i), factor, &lanes);
        if (error != NULL) {
            value = vaddq_s32(value, vldrbq_s32(error + first + i));
        }
        vst1q_s32(out + i, value);
    }
}

void isopod_add_to_integers(int32_t *words, const int8_t *error, uint32_t count, int32_t plain) {
    for (const int32_t *end = words + count; words != end; words += 4, error += 4) {
        vst1q_s32(words, vmlaq_n_s32(vld1q_s32(words), vldrbq_s32(error), plain));
    }
}

void isopod_centre_integers(int32_t *x, uint32_t count, const isopod_prime *plain) {
    const isopod_lanes lanes = isopod_lanes_of(plain->modulus, plain->negative_inverse);
    const int32x4_t last = vdupq_n_s32((int32_t)(plain->modulus - 3u) / 2);
    for (const int32_t *end = x + count; x != end; x += 4) {
        const int32x4_t canonical = isopod_lanes_canonical(vld1q_s32(x), &lanes);
        const int32x4_t is_upper = vshrq_n_s32(vsubq_s32(last, canonical), 31);
        vst1q_s32(x, vmlaq_n_s32(vnegq_s32(canonical), is_upper, lanes.minus_q));
    }
}

#endif
