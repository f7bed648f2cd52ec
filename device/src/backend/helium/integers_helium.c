/* Messages of BFV as polynomials modulo 32-bit primes (encode/integers.h, with its bounds) for
 * Helium. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../encode/integers.h"
#include "butterfly.h"

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
