/* Ternary coefficients of two bits each, value + 1, for Helium: four at a time. */
#ifndef ISOPOD_HELIUM_SYMBOLS_H
#define ISOPOD_HELIUM_SYMBOLS_H

#include "butterfly.h"

/* The next coefficient of each lane is in the lowest bits. */
typedef struct {
    uint32x4_t word;
} isopod_ternary_fields;

/* Lane i starts at coefficient i of the sixteen. */
ISOPOD_INLINE isopod_ternary_fields isopod_ternary_of(uint32_t word) {
    const int32x4_t down = vnegq_s32(vreinterpretq_s32_u32(vidupq_n_u32(0, 2)));
    const isopod_ternary_fields symbols = {vshlq_u32(vdupq_n_u32(word), down)};
    return symbols;
}

/* The next four coefficients as -1, 0 or 1. */
ISOPOD_INLINE int32x4_t isopod_ternary_next(isopod_ternary_fields *symbols) {
    const uint32x4_t field = vandq_u32(symbols->word, vdupq_n_u32(3));
    symbols->word = vshrq_n_u32(symbols->word, 8);
    return vsubq_n_s32(vreinterpretq_s32_u32(field), 1);
}

#endif
