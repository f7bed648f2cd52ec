/* Loads of coefficients from their compact forms (ring/polynomial.h) for Helium. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

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
    isopod_symbols symbols =
        isopod_symbols_of(((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK]);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i += 4) {
        vst1q_s32(out + i, vmulq_n_s32(isopod_symbols_next(&symbols), polynomial->factor));
    }
}

#endif
