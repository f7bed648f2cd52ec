#include "../../error.h"

#include "../../gaussian_thresholds.h"
#include "../../memory.h"

#define LARGEST_FIELD 19u
#define DRAWS 3u

/* Field i of `width` bits as (x >> 1) + (x & 1) - 2^(width - 2). Inlined with a constant width. */
static inline void unpack(int32_t out[ISOPOD_ERROR_GROUP], const uint32_t *words, uint32_t width) {
    const uint32_t mask = (1u << width) - 1u;
    for (uint32_t i = 0; i < ISOPOD_ERROR_GROUP; i++) {
        uint32_t at = i * width / 32u, by = i * width % 32u;
        uint32_t x = words[at] >> by;
        if (by + width > 32u) {
            x |= words[at + 1] << (32u - by);
        }
        x &= mask;
        out[i] = (int32_t)((x >> 1) + (x & 1u)) - (1 << (width - 2u));
    }
}

void isopod_error_tuniform(int32_t out[ISOPOD_ERROR_GROUP], uint32_t log2_bound,
                           isopod_stream *stream) {
    uint32_t words[LARGEST_FIELD];
    isopod_stream_words(stream, words, log2_bound + 2u);
    if (log2_bound == 8u) {
        unpack(out, words, 10);
    } else {
        unpack(out, words, 19);
    }
    isopod_wipe(words, sizeof words);
}

/* Signed draw of a word. Both sides of each comparison are below 2^31: the sign of the difference
 * is its outcome. */
static inline int32_t draw(uint32_t word) {
    uint32_t r = word >> 1, below = 0;
    for (uint32_t x = 0; x < ISOPOD_GAUSSIAN_THRESHOLDS; x++) {
        below += (r - isopod_gaussian_thresholds[x]) >> 31;
    }
    int32_t magnitude = (int32_t)(ISOPOD_GAUSSIAN_THRESHOLDS - below);
    int32_t sign = -(int32_t)(word & 1u);
    return (magnitude ^ sign) - sign;
}

void isopod_error_gaussian(int32_t out[ISOPOD_ERROR_GROUP], isopod_stream *stream) {
    uint32_t words[DRAWS * 16u];
    for (uint32_t half = 0; half < 2; half++, out += 16) {
        isopod_stream_words(stream, words, DRAWS * 16u);
        for (uint32_t i = 0; i < 16; i++) {
            out[i] = draw(words[i]) + 5 * draw(words[16 + i]) + 25 * draw(words[32 + i]);
        }
    }
    isopod_wipe(words, sizeof words);
}
