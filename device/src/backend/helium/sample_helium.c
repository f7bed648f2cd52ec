/* Centred binomial errors ([NEWHOPE15]; spec/ckks.md, section 3.1) for Helium, bit-sliced: 32 per
 * lane, 128 at a time. The bits of 42 words are counted by carry-save adders. Constant time. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../random/sample.h"

#include "../../base/memory.h"
#include "butterfly.h"

#define CBD_WORDS 42u /* random words for 32 samples: one bit of each word per sample */
#define CBD_HALF 21
#define BATCH 128u
#define BATCH_WORDS (4 * CBD_WORDS)
#define HALF_WORDS (BATCH_WORDS / 2)
#define EIGHT_BLOCKS 128u /* words of eight ChaCha20 blocks */

/* sum becomes sum ^ a ^ b, the majority is the carry. */
#define FULL_ADD(sum, carry, a, b)                                                                 \
    do {                                                                                           \
        uint32x4_t addend_ = (a), third_ = (b);                                                    \
        uint32x4_t half_ = veorq_u32(sum, addend_), both_ = vandq_u32(sum, addend_);               \
        (carry) = vorrq_u32(both_, vandq_u32(half_, third_));                                      \
        (sum) = veorq_u32(half_, third_);                                                          \
    } while (0)

#define HALF_ADD(sum, carry, a)                                                                    \
    do {                                                                                           \
        uint32x4_t addend_ = (a);                                                                  \
        (carry) = vandq_u32(sum, addend_);                                                         \
        (sum) = veorq_u32(sum, addend_);                                                           \
    } while (0)

/* Word i of each lane. */
#define WORD(i) vldrwq_gather_base_u32(from, 4 * (i))

/* Words are loaded where they are used: gcc loads all of them first, and then has to store them. */
#define LOAD_LATER() __asm__ volatile("" : : : "memory")

/* Eight words from i on: ones, twos and fours are added up, the eights counted. */
#define ADD_EIGHT(i)                                                                               \
    do {                                                                                           \
        LOAD_LATER();                                                                              \
        FULL_ADD(ones, first, WORD(i), WORD((i) + 1));                                             \
        FULL_ADD(ones, second, WORD((i) + 2), WORD((i) + 3));                                      \
        FULL_ADD(twos, upper, first, second);                                                      \
        LOAD_LATER();                                                                              \
        FULL_ADD(ones, first, WORD((i) + 4), WORD((i) + 5));                                       \
        FULL_ADD(ones, second, WORD((i) + 6), WORD((i) + 7));                                      \
        FULL_ADD(twos, first, first, second);                                                      \
        FULL_ADD(fours, eights, upper, first);                                                     \
        HALF_ADD(p3, eights, eights);                                                              \
        HALF_ADD(p4, eights, eights);                                                              \
        p5 = veorq_u32(p5, eights);                                                                \
    } while (0)

/* The number of ones in each bit of 42 words as six bit planes. */
static void count_ones(uint32x4_t planes[6], const uint32_t words[BATCH_WORDS]) {
    const uint32x4_t from = isopod_lanes_from(words, 4 * CBD_WORDS);
    uint32x4_t ones = vdupq_n_u32(0), twos = ones, fours = ones, p3 = ones, p4 = ones, p5 = ones;
    uint32x4_t first, second, upper, eights;
    ADD_EIGHT(0);
    ADD_EIGHT(8);
    ADD_EIGHT(16);
    ADD_EIGHT(24);
    ADD_EIGHT(32);
    FULL_ADD(ones, first, WORD(40), WORD(41));
    HALF_ADD(twos, first, first);
    HALF_ADD(fours, first, first);
    HALF_ADD(p3, first, first);
    HALF_ADD(p4, first, first);
    planes[0] = ones, planes[1] = twos, planes[2] = fours;
    planes[3] = p3, planes[4] = p4, planes[5] = veorq_u32(p5, first);
}

/* Counts for 64 samples: each lane counts half of the words, and neighbours add their counts. */
static void count_halves(uint32x4_t planes[6], const uint32_t words[HALF_WORDS]) {
    const uint32x4_t from = isopod_lanes_from(words, 2 * CBD_WORDS);
    uint32x4_t ones = vdupq_n_u32(0), twos = ones, fours = ones, p3 = ones, p4 = ones, p5 = ones;
    uint32x4_t first, second, upper, eights;
    ADD_EIGHT(0);
    ADD_EIGHT(8);
    LOAD_LATER();
    FULL_ADD(ones, first, WORD(16), WORD(17));
    FULL_ADD(ones, second, WORD(18), WORD(19));
    HALF_ADD(ones, upper, WORD(20));
    FULL_ADD(twos, eights, first, second);
    HALF_ADD(twos, first, upper);
    FULL_ADD(fours, second, eights, first);
    HALF_ADD(p3, first, second);
    p4 = veorq_u32(p4, first);
    HALF_ADD(ones, first, vrev64q_u32(ones));
    FULL_ADD(twos, second, vrev64q_u32(twos), first);
    FULL_ADD(fours, first, vrev64q_u32(fours), second);
    FULL_ADD(p3, second, vrev64q_u32(p3), first);
    FULL_ADD(p4, p5, vrev64q_u32(p4), second);
    planes[0] = ones, planes[1] = twos, planes[2] = fours;
    planes[3] = p3, planes[4] = p4, planes[5] = p5;
}

/* Exchanges the bits `mask` << by of a with the bits `mask` of b. */
#define EXCHANGE(a, b, by, mask)                                                                   \
    do {                                                                                           \
        uint32x4_t differ_ = vandq_u32(veorq_u32(vshrq_n_u32(a, by), b), mask);                    \
        (b) = veorq_u32(b, differ_);                                                               \
        (a) = veorq_u32(a, vshlq_n_u32(differ_, by));                                              \
    } while (0)

#define PUT(i, counts)                                                                             \
    vstrwq_scatter_base_u32(                                                                       \
        to, 4 * (i),                                                                               \
        vreinterpretq_u32_s8(vsubq_n_s8(vreinterpretq_s8_u32(counts), (int8_t)CBD_HALF)))

/* Transposes the 8x8 bits in each byte column of the planes: byte b of word j then holds the count
 * of bit 8b + j. to: where each lane's 32 samples go. */
static void store_samples(uint32x4_t to, const uint32x4_t p[6]) {
    const uint32x4_t by1 = vdupq_n_u32(0x55555555u), by2 = vdupq_n_u32(0x33333333u);
    const uint32x4_t by4 = vdupq_n_u32(0x0f0f0f0fu);
    uint32x4_t a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5];
    EXCHANGE(a, b, 1, by1);
    EXCHANGE(c, d, 1, by1);
    EXCHANGE(e, f, 1, by1);
    uint32x4_t g = vandq_u32(vshrq_n_u32(e, 2), by2), h = vandq_u32(vshrq_n_u32(f, 2), by2);
    e = vandq_u32(e, by2), f = vandq_u32(f, by2);
    EXCHANGE(a, c, 2, by2);
    EXCHANGE(b, d, 2, by2);
    EXCHANGE(a, e, 4, by4);
    PUT(0, a), PUT(4, e);
    EXCHANGE(b, f, 4, by4);
    PUT(1, b), PUT(5, f);
    EXCHANGE(c, g, 4, by4);
    PUT(2, c), PUT(6, g);
    EXCHANGE(d, h, 4, by4);
    PUT(3, d), PUT(7, h);
}

/* Neighbours store the same. */
static ISOPOD_NOINLINE void half_batch(int8_t *out, const uint32_t words[HALF_WORDS]) {
    const uint32x4_t pairs = vshlq_n_u32(vshrq_n_u32(vidupq_n_u32(0, 1), 1), 5);
    uint32x4_t planes[6];
    count_halves(planes, words);
    store_samples(vaddq_n_u32(pairs, (uint32_t)(uintptr_t)out), planes);
    isopod_wipe(planes, sizeof planes);
}

static ISOPOD_NOINLINE void batch(int8_t *out, const uint32_t words[BATCH_WORDS]) {
    uint32x4_t planes[6];
    count_ones(planes, words);
    store_samples(isopod_lanes_from(out, 32), planes);
    isopod_wipe(planes, sizeof planes);
}

/* Moves the words behind the batch to the front. */
ISOPOD_INLINE void move_rest(uint32_t *words, uint32_t count) {
    for (uint32_t i = 0; i < count; i += 4) {
        vst1q_u32(words + i, vld1q_u32(words + BATCH_WORDS + i));
    }
}

void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
    uint32_t words[BATCH_WORDS + EIGHT_BLOCKS];
    uint32_t made = 0, later = n / 32 * CBD_WORDS;
    const size_t used = n < BATCH ? 4 * HALF_WORDS : sizeof words;
    for (; n > 0; n -= n < BATCH ? n : BATCH, out += BATCH) {
        while (made < BATCH_WORDS && later > 0) {
            uint32_t more = later < EIGHT_BLOCKS ? later : EIGHT_BLOCKS;
            isopod_stream_words(stream, words + made, more);
            made += more, later -= more;
        }
        if (n < BATCH) {
            half_batch(out, words);
        } else {
            batch(out, words);
            made -= BATCH_WORDS;
            move_rest(words, made);
        }
    }
    isopod_wipe(words, used);
}

#endif
