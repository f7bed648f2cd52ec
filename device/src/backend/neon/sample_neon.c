/* Centred binomial errors ([NEWHOPE15]; spec/ckks.md, section 3.1) for NEON, bit-sliced, 128 at a
 * time. Constant time. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../random/sample.h"

#include <arm_neon.h>

#include "../../base/memory.h"

#define INLINE static inline __attribute__((always_inline))

#define CBD_WORDS 42u /* random words for 32 samples: one bit of each word per sample */
#define CBD_HALF 21u
#define GROUPS 4u /* one per lane */

typedef struct {
    uint32x4_t sum;
    uint32x4_t carry;
} added;

/* Sum and carry of three bit planes. */
INLINE added full_add(uint32x4_t a, uint32x4_t b, uint32x4_t c) {
    const uint32x4_t half = veorq_u32(a, b);
    const added out = {veorq_u32(half, c), vbslq_u32(half, c, a)};
    return out;
}

INLINE added half_add(uint32x4_t a, uint32x4_t b) {
    const added out = {veorq_u32(a, b), vandq_u32(a, b)};
    return out;
}

/* Adds the number of ones of seven words in each bit position; counts stay below 64. */
INLINE void count_seven(uint32x4_t planes[6], const uint32x4_t w[7]) {
    const added a = full_add(w[0], w[1], w[2]), b = full_add(w[3], w[4], w[5]);
    const added ones = full_add(a.sum, b.sum, w[6]);
    const added twos = full_add(a.carry, b.carry, ones.carry);
    const added p0 = half_add(planes[0], ones.sum);
    const added p1 = full_add(planes[1], twos.sum, p0.carry);
    const added p2 = full_add(planes[2], twos.carry, p1.carry);
    const added p3 = half_add(planes[3], p2.carry);
    const added p4 = half_add(planes[4], p3.carry);
    planes[0] = p0.sum, planes[1] = p1.sum, planes[2] = p2.sum;
    planes[3] = p3.sum, planes[4] = p4.sum;
    planes[5] = veorq_u32(planes[5], p4.carry);
}

/* Transposes four rows of four words. */
INLINE void transpose(uint32x4_t x[4]) {
    const uint32x4x2_t even = vtrnq_u32(x[0], x[1]), odd = vtrnq_u32(x[2], x[3]);
    x[0] = vcombine_u32(vget_low_u32(even.val[0]), vget_low_u32(odd.val[0]));
    x[1] = vcombine_u32(vget_low_u32(even.val[1]), vget_low_u32(odd.val[1]));
    x[2] = vcombine_u32(vget_high_u32(even.val[0]), vget_high_u32(odd.val[0]));
    x[3] = vcombine_u32(vget_high_u32(even.val[1]), vget_high_u32(odd.val[1]));
}

/* Word i of each of the four groups in one vector; the last two words by themselves. */
static void gather_words(uint32x4_t out[44], const uint32_t *words) {
    for (uint32_t i = 0; i < 40; i += 4) {
#pragma GCC unroll 8
        for (uint32_t g = 0; g < GROUPS; g++) {
            out[i + g] = vld1q_u32(words + CBD_WORDS * g + i);
        }
        transpose(out + i);
    }
#pragma GCC unroll 8
    for (uint32_t g = 0; g < GROUPS; g++) {
        out[40 + g] = vcombine_u32(vld1_u32(words + CBD_WORDS * g + 40), vdup_n_u32(0));
    }
    transpose(out + 40);
}

/* Puts neighbouring fields of `low` and `high` side by side: even fields in `even`, odd ones in
 * `odd`. Runs of ones in `mask` are as wide as a field. */
#define PAIR(even, odd, low, high, mask, width)                                                    \
    do {                                                                                           \
        even = vbslq_u32(vdupq_n_u32(mask), low, vshlq_n_u32(high, width));                        \
        odd = vbslq_u32(vdupq_n_u32(mask), vshrq_n_u32(low, width), high);                         \
    } while (0)

/* Counts 0..42 in bytes, minus 21. */
INLINE uint32x4_t centred(uint32x4_t counts) {
    return vreinterpretq_u32_u8(
        vsubq_u8(vreinterpretq_u8_u32(counts), vdupq_n_u8((uint8_t)CBD_HALF)));
}

/* Lane b of a plane, b = r + 8k, is byte k of word r. */
static void bytes_of(uint32x4_t out[8], const uint32x4_t planes[6]) {
    uint32x4_t low[2], middle[2], top[2], nibbles[4], tops[4];
    PAIR(low[0], low[1], planes[0], planes[1], 0x55555555u, 1);
    PAIR(middle[0], middle[1], planes[2], planes[3], 0x55555555u, 1);
    PAIR(top[0], top[1], planes[4], planes[5], 0x55555555u, 1);
    PAIR(nibbles[0], nibbles[2], low[0], middle[0], 0x33333333u, 2);
    PAIR(nibbles[1], nibbles[3], low[1], middle[1], 0x33333333u, 2);
    PAIR(tops[0], tops[2], top[0], vdupq_n_u32(0), 0x33333333u, 2);
    PAIR(tops[1], tops[3], top[1], vdupq_n_u32(0), 0x33333333u, 2);
#pragma GCC unroll 8
    for (uint32_t r = 0; r < 4; r++) {
        PAIR(out[r], out[r + 4], nibbles[r], tops[r], 0x0f0f0f0fu, 4);
        out[r] = centred(out[r]), out[r + 4] = centred(out[r + 4]);
    }
}

static void sample_groups(int8_t *out, const uint32_t *words) {
    uint32x4_t planes[6], gathered[44], bytes[8];
    for (uint32_t p = 0; p < 6; p++) {
        planes[p] = vdupq_n_u32(0);
    }
    gather_words(gathered, words);
    for (uint32_t i = 0; i < CBD_WORDS; i += 7) {
        count_seven(planes, gathered + i);
    }
    bytes_of(bytes, planes);
    transpose(bytes);
    transpose(bytes + 4);
#pragma GCC unroll 8
    for (uint32_t g = 0; g < GROUPS; g++) {
        vst1q_s8(out + 32 * g, vreinterpretq_s8_u32(bytes[g]));
        vst1q_s8(out + 32 * g + 16, vreinterpretq_s8_u32(bytes[4 + g]));
    }
}

/* Samples 128 at a time, and stores only as many of the last ones as are wanted. */
void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
    uint32_t words[GROUPS * CBD_WORDS];
    int8_t rest[32 * GROUPS];
    for (; n >= sizeof rest; n -= sizeof rest, out += sizeof rest) {
        isopod_stream_words(stream, words, GROUPS * CBD_WORDS);
        sample_groups(out, words);
    }
    if (n != 0) {
        uint32_t count = (n >> 5) * CBD_WORDS;
        isopod_stream_words(stream, words, count);
        isopod_wipe(words + count, sizeof words - count * sizeof *words);
        sample_groups(rest, words);
        isopod_copy((uint8_t *)out, (const uint8_t *)rest, n);
        isopod_wipe(rest, sizeof rest);
    }
    isopod_wipe(words, sizeof words);
}

#endif
