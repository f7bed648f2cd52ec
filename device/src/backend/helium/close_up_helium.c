/* Closing of the gaps of rejected ternary symbols for Helium: four words at a time, by the steps of
 * random/ternary.c. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../random/sample.h"
#include "butterfly.h"

/* Adds each place to the one `bits` / 2 symbols above it, modulo two. */
#define PREFIX(odd, bits) ((odd) = veorq_u32(odd, vshlq_n_u32(odd, bits)))

#define STEP(by)                                                                                   \
    do {                                                                                           \
        uint32x4_t odd_ = below;                                                                   \
        PREFIX(odd_, 2);                                                                           \
        PREFIX(odd_, 4);                                                                           \
        PREFIX(odd_, 8);                                                                           \
        PREFIX(odd_, 16);                                                                          \
        const uint32x4_t moved_ = vandq_u32(word, odd_);                                           \
        word = vorrq_u32(veorq_u32(word, moved_), vshrq_n_u32(moved_, by));                        \
        below = vbicq_u32(below, odd_);                                                            \
    } while (0)

/* 32 less twice the number of ones at even places. */
ISOPOD_INLINE uint32x4_t bits_left(uint32x4_t even) {
    const uint32x4_t fourth = vdupq_n_u32(0x11111111u);
    uint32x4_t pairs =
        vaddq_u32(vandq_u32(even, fourth), vandq_u32(vshrq_n_u32(even, 2), fourth));
    uint32x4_t bytes =
        vandq_u32(vaddq_u32(pairs, vshrq_n_u32(pairs, 4)), vdupq_n_u32(0x0f0f0f0fu));
    const uint32x4_t ones = vshrq_n_u32(vmulq_n_u32(bytes, 0x01010101u), 24);
    return vsubq_u32(vdupq_n_u32(32), vaddq_u32(ones, ones));
}

void isopod_close_up(uint32_t *words, uint8_t *bits, uint32_t count) {
    for (uint32_t i = 0; i < count; i += 4) {
        uint32x4_t word = vld1q_u32(words + i);
        const uint32x4_t threes =
            vandq_u32(vandq_u32(word, vshrq_n_u32(word, 1)), vdupq_n_u32(0x55555555u));
        const uint32x4_t both = vmulq_n_u32(threes, 3);
        uint32x4_t below = vshlq_n_u32(both, 2);
        word = vbicq_u32(word, both);
        STEP(2);
        STEP(4);
        STEP(8);
        STEP(16);
        vst1q_u32(words + i, word);
        vstrbq_u32(bits + i, bits_left(threes));
    }
}

#endif
