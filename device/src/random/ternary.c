/* Uniform ternary polynomials (spec/ckks.md, section 3.2) by rejection, in portable C. The time
 * depends on the number of rejected symbols alone. */
#include "../base/constant_time.h"
#include "../base/memory.h"
#include "sample.h"

#define SPAN ISOPOD_TERNARY_SPAN

#if ISOPOD_PORTABLE(CLOSE_UP)
/* Twice the number of ones at even places. */
static uint32_t twice_ones(uint32_t even) {
    uint32_t pairs = (even & 0x11111111u) + (even >> 2 & 0x11111111u);
    uint32_t bytes = (pairs + (pairs >> 4)) & 0x0f0f0f0fu;
    return 2u * (bytes * 0x01010101u >> 24);
}

/* Each symbol moves down by the number of threes below it, in steps of one, two, four and eight
 * symbols ([WARREN12], section 7-4). Threes are cleared first. */
void isopod_close_up(uint32_t *words, uint8_t *bits, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = words[i], threes = word & word >> 1 & 0x55555555u;
        ISOPOD_DECLASSIFY(threes);
        uint32_t both = threes | threes << 1, below = both << 2;
        word &= ~both;
        for (uint32_t by = 2; by <= 16; by *= 2) {
            uint32_t odd = below ^ below << 2; /* where the number of threes below is odd */
            odd ^= odd << 4;
            odd ^= odd << 8;
            odd ^= odd << 16;
            uint32_t moved = word & odd;
            word = (word ^ moved) | moved >> by;
            below &= ~odd;
        }
        words[i] = word;
        bits[i] = (uint8_t)(32u - twice_ones(threes));
    }
}
#endif

typedef struct {
    uint32_t words[SPAN];
    uint8_t bits[SPAN];
    uint32_t at, ready;
    uint32_t needed; /* words that are needed even if no symbol is rejected */
} span;

/* The next words. After those that are needed in any case they come one by one, so that none is
 * taken from the stream in vain, and the number of calls tells no more than that of words. */
static void next_span(span *from, isopod_stream *stream) {
    uint32_t count = from->needed < SPAN ? from->needed : SPAN;
    from->needed -= count;
    from->ready = count == 0 ? 1u : count;
    from->at = 0;
    isopod_stream_words(stream, from->words, from->ready);
    isopod_close_up(from->words, from->bits, from->ready);
}

/* Branches once per word, on the number of symbols kept so far. So the time reveals the number of
 * rejected symbols only. held is even and at most 30. */
void isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
#if ISOPOD_TAKES(TERNARY)
    if (isopod_native_sample_ternary(out, n, stream)) {
        return;
    }
#endif
    const uint32_t *end = out + n / 16;
    uint32_t packed = 0, held = 0;
    span from = {.needed = n / 16};
    while (out != end) {
        if (from.at == from.ready) {
            next_span(&from, stream);
        }
        uint32_t symbols = from.words[from.at], bits = from.bits[from.at];
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
