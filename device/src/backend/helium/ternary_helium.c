/* Uniform ternary polynomials (spec/ckks.md, section 3.2) by rejection for Helium. Gaps that
 * rejected symbols leave are closed in four words at a time: each symbol moves down by the number
 * of threes below it, in steps of one, two, four and eight symbols. The time depends on the number
 * of rejected symbols alone. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../base/memory.h"
#include "../../random/sample.h"
#include "butterfly.h"

#define SPAN 64u /* words */

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
    uint32x4_t pairs = vaddq_u32(vandq_u32(even, fourth), vandq_u32(vshrq_n_u32(even, 2), fourth));
    uint32x4_t bytes = vandq_u32(vaddq_u32(pairs, vshrq_n_u32(pairs, 4)), vdupq_n_u32(0x0f0f0f0fu));
    const uint32x4_t ones = vshrq_n_u32(vmulq_n_u32(bytes, 0x01010101u), 24);
    return vsubq_u32(vdupq_n_u32(32), vaddq_u32(ones, ones));
}

/* Closes the gaps in `count` words, and writes how many bits of each are left. */
static ISOPOD_NOINLINE void close_up(uint32_t words[SPAN], uint8_t bits[SPAN], uint32_t count) {
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

typedef struct {
    uint32_t words[SPAN];
    uint8_t bits[SPAN];
    uint32_t at, ready;
    uint32_t needed; /* words that are needed even if no symbol is rejected */
} span;

/* The next words. After those that are needed in any case they come one by one, so that none is
 * taken from the stream in vain, and the number of calls tells no more than that of words. */
static void next_span(span *from, isopod_stream *stream) {
    const uint32_t count = from->needed < SPAN ? from->needed : SPAN;
    from->needed -= count;
    from->ready = count == 0 ? 1u : count;
    from->at = 0;
    isopod_stream_words(stream, from->words, from->ready);
    close_up(from->words, from->bits, from->ready);
}

/* Branches once per word, on the number of symbols kept so far. held is even and at most 30. */
void isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
    const uint32_t *end = out + n / 16;
    uint32_t packed = 0, held = 0;
    span from;
    from.at = 0, from.ready = 0, from.needed = n / 16;
    while (out != end) {
        if (from.at == from.ready) {
            next_span(&from, stream);
        }
        const uint32_t symbols = from.words[from.at];
        uint32_t bits = from.bits[from.at];
        from.at++;
        packed |= symbols << held;
        if (held + bits >= 32) {
            *out++ = packed;
            packed = symbols >> 1 >> (31 - held);
            bits -= 32;
        }
        held += bits;
    }
    isopod_wipe(&from, sizeof from);
}

#endif
