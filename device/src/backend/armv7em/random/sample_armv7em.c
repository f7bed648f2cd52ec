/* Centred binomial errors ([NEWHOPE15]; spec/ckks.md, section 3.1) for Armv7-M, bit-sliced, 32 at a
 * time: the bits of 42 words are counted by carry-save adders. Constant time. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

#include "../../../random/sample.h"

#include "../../../base/memory.h"

#define CBD_WORDS 42u /* random words for 32 samples: one bit of each word per sample */
#define CBD_HALF 0x15151515u

/* sum becomes sum ^ a ^ b, the majority is the carry. */
#define FULL_ADD(sum, carry, a, b)                                                                 \
    do {                                                                                           \
        uint32_t half_ = (sum) ^ (a);                                                              \
        uint32_t both_ = (sum) & (a);                                                              \
        uint32_t third_ = (b);                                                                     \
        (carry) = both_ | (half_ & third_);                                                        \
        (sum) = half_ ^ third_;                                                                    \
    } while (0)

#define HALF_ADD(sum, carry, a)                                                                    \
    do {                                                                                           \
        uint32_t addend_ = (a);                                                                    \
        (carry) = (sum)&addend_;                                                                   \
        (sum) ^= addend_;                                                                          \
    } while (0)

/* The number of ones in each lane of 42 words as six bit planes: eight words at a time through
 * carry-save adders, the eights counted. */
static inline void count_ones(uint32_t planes[8], const uint32_t *w) {
    uint32_t ones = 0, twos = 0, fours = 0, eights = 0, p3 = 0, p4 = 0, p5 = 0;
    uint32_t first, second, upper;
    for (unsigned i = 0; i < 5; i++, w += 8) {
        FULL_ADD(ones, first, w[0], w[1]);
        FULL_ADD(ones, second, w[2], w[3]);
        FULL_ADD(twos, upper, first, second);
        FULL_ADD(ones, first, w[4], w[5]);
        FULL_ADD(ones, second, w[6], w[7]);
        FULL_ADD(twos, first, first, second);
        FULL_ADD(fours, eights, upper, first);
        HALF_ADD(p3, eights, eights);
        HALF_ADD(p4, eights, eights);
        p5 ^= eights;
    }
    FULL_ADD(ones, first, w[0], w[1]);
    HALF_ADD(twos, first, first);
    HALF_ADD(fours, first, first);
    HALF_ADD(p3, first, first);
    HALF_ADD(p4, first, first);
    planes[0] = ones, planes[1] = twos, planes[2] = fours;
    planes[3] = p3, planes[4] = p4, planes[5] = p5 ^ first;
    planes[6] = planes[7] = 0;
}

/* Exchanges the bits `mask` << by of a with the bits `mask` of b. */
#define EXCHANGE(a, b, by, mask)                                                                   \
    do {                                                                                           \
        uint32_t differ_ = (((a) >> (by)) ^ (b)) & (mask);                                         \
        (b) ^= differ_;                                                                            \
        (a) ^= differ_ << (by);                                                                    \
    } while (0)

static inline uint32_t minus_half(uint32_t counts) {
    uint32_t samples;
    __asm__("ssub8 %0, %1, %2" : "=r"(samples) : "r"(counts), "r"(CBD_HALF));
    return samples;
}

/* Transposes the 8x8 bits in each byte column of the eight words: byte b of word j then holds the
 * count of lane 8b + j. */
static inline void store_samples(uint32_t *out, const uint32_t p[8]) {
    uint32_t a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = 0, h = 0;
    EXCHANGE(a, b, 1, 0x55555555u);
    EXCHANGE(c, d, 1, 0x55555555u);
    EXCHANGE(e, f, 1, 0x55555555u);
    EXCHANGE(a, c, 2, 0x33333333u);
    EXCHANGE(b, d, 2, 0x33333333u);
    EXCHANGE(e, g, 2, 0x33333333u);
    EXCHANGE(f, h, 2, 0x33333333u);
    EXCHANGE(a, e, 4, 0x0f0f0f0fu);
    EXCHANGE(b, f, 4, 0x0f0f0f0fu);
    EXCHANGE(c, g, 4, 0x0f0f0f0fu);
    EXCHANGE(d, h, 4, 0x0f0f0f0fu);
    out[0] = minus_half(a), out[1] = minus_half(b), out[2] = minus_half(c);
    out[3] = minus_half(d), out[4] = minus_half(e), out[5] = minus_half(f);
    out[6] = minus_half(g), out[7] = minus_half(h);
}

void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
    uint32_t words[CBD_WORDS], planes[8];
    uint32_t *at = (uint32_t *)(void *)out;
    for (uint32_t i = 0; i < n; i += 32, at += 8) {
        isopod_stream_words(stream, words, CBD_WORDS);
        count_ones(planes, words);
        store_samples(at, planes);
    }
    isopod_wipe(words, sizeof words);
    isopod_wipe(planes, sizeof planes);
}

#endif
