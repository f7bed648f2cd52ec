#include "../../constant_time.h"
#include "../../memory.h"
#include "../../sample.h"

/* Appends the 16 symbols of a word, dropping threes: branches see only how many were kept. Threes
 * are cleared all at once and then move the end by nothing. */
static uint32_t keep_symbols(uint32_t word, uint32_t *held, uint32_t **out, const uint32_t *end) {
    uint32_t packed = **out, bits = *held;
    uint32_t threes = word & word >> 1 & 0x55555555u;
    uint32_t kept = ~threes;
    ISOPOD_DECLASSIFY(kept);
    word ^= threes | threes << 1;
    for (unsigned i = 0; i < 16; i++, word >>= 2, kept >>= 2) {
        packed |= (word & 3u) << bits;
        bits += (kept & 1u) << 1;
        if (bits == 32) {
            *(*out)++ = packed;
            packed = bits = 0;
            if (*out == end) {
                return 1;
            }
        }
    }
    **out = packed;
    *held = bits;
    return 0;
}

void isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream) {
    const uint32_t *end = out + n / 16;
    uint32_t word, held = 0, done = 0;
    *out = 0;
    while (!done) {
        isopod_stream_words(stream, &word, 1);
        done = keep_symbols(word, &held, &out, end);
    }
    isopod_wipe(&word, sizeof word);
}
