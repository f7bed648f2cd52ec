/* Centred binomial errors ([NEWHOPE15]; spec/ckks.md, section 3.1), bit-sliced, 32 at a time, in
 * portable C. Constant time. */
#include "sample.h"

#include "../base/memory.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(SAMPLE)
#define CBD_WORDS 42u /* random words for 32 samples: one bit of each word per sample */
#define CBD_HALF 21u

/* sum and carry of three bit planes */
#define FULL_ADD(sum, carry, a, b, c)                                                              \
    do {                                                                                           \
        uint32_t half_ = (a) ^ (b);                                                                \
        uint32_t c_ = (c);                                                                         \
        carry = ((a) & (b)) | (half_ & c_);                                                        \
        sum = half_ ^ c_;                                                                          \
    } while (0)

/* Adds the number of ones in each lane of seven words to the six-bit counters `planes`. */
static inline void count_seven(uint32_t planes[6], const uint32_t w[7]) {
    uint32_t s0, s1, s2, c0, c1, c2, c3, carry;
    FULL_ADD(s0, c0, w[0], w[1], w[2]);
    FULL_ADD(s1, c1, w[3], w[4], w[5]);
    FULL_ADD(s2, c2, s0, s1, w[6]);
    FULL_ADD(s1, c3, c0, c1, c2); /* count = s2 + 2*s1 + 4*c3 */
    carry = planes[0] & s2;
    planes[0] ^= s2;
    FULL_ADD(planes[1], carry, planes[1], s1, carry);
    FULL_ADD(planes[2], carry, planes[2], c3, carry);
    FULL_ADD(planes[3], carry, planes[3], carry, 0u);
    FULL_ADD(planes[4], carry, planes[4], carry, 0u);
    planes[5] ^= carry; /* counts stay below 64 */
}

/* Moves lanes j, j+8, j+16, j+24 to the four bytes of word j: counts 0..42, less 21 in every
 * byte. */
static inline uint32_t gather(const uint32_t planes[6], unsigned j) {
    const uint32_t lanes = 0x01010101u;
    uint32_t counts = (planes[0] >> j & lanes) | (planes[1] >> j & lanes) << 1 |
                      (planes[2] >> j & lanes) << 2 | (planes[3] >> j & lanes) << 3 |
                      (planes[4] >> j & lanes) << 4 | (planes[5] >> j & lanes) << 5;
    return ((counts | 0x80808080u) - CBD_HALF * 0x01010101u) ^ 0x80808080u;
}

void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
#if ISOPOD_TAKES(SAMPLE)
    if (isopod_native_sample_error(out, n, stream)) {
        return;
    }
#endif
    uint32_t words[CBD_WORDS];
    uint32_t planes[6];
    for (uint32_t i = 0; i < n; i += 32) {
        isopod_stream_words(stream, words, CBD_WORDS);
        for (unsigned p = 0; p < 6; p++) {
            planes[p] = 0;
        }
        for (unsigned w = 0; w < CBD_WORDS; w += 7) {
            count_seven(planes, words + w);
        }
        for (unsigned j = 0; j < 8; j++) {
            isopod_store32((uint8_t *)out + i + 4 * j, gather(planes, j));
        }
    }
    isopod_wipe(words, sizeof words);
    isopod_wipe(planes, sizeof planes);
}
#endif
