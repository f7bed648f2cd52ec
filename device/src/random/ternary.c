/* Uniform ternary polynomials (spec/ckks.md, section 3.2) by rejection, in portable C. The time
 * depends on the number of rejected symbols alone. */
#include "../base/constant_time.h"
#include "../base/memory.h"
#include "sample.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(TERNARY)
/* Compacts the symbols of a word that are not three, and counts their bits. Threes are cleared
 * first and then add nothing, neither to the symbols nor to the length. */
static uint32_t close_up(uint32_t word, uint32_t *bits) {
    uint32_t threes = word & word >> 1 & 0x55555555u;
    uint32_t kept = ~threes, symbols = 0, at = 0;
    ISOPOD_DECLASSIFY(kept);
    word ^= threes | threes << 1;
    for (unsigned i = 0; i < 16; i++, word >>= 2, kept >>= 2) {
        symbols |= (word & 3u) << at;
        at += (kept & 1u) << 1;
    }
    *bits = at;
    return symbols;
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
    uint32_t word, symbols, bits, packed = 0, held = 0;
    while (out != end) {
        isopod_stream_words(stream, &word, 1);
        symbols = close_up(word, &bits);
        packed |= symbols << held;
        if (held + bits >= 32) {
            *out++ = packed;
            packed = symbols >> 1 >> (31 - held);
            bits -= 32;
        }
        held += bits;
    }
    isopod_wipe(&word, sizeof word);
}
#endif
