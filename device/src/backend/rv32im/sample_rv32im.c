/* Centred binomial errors ([NEWHOPE15]; spec/ckks.md, section 3.1) for RV32IM, bit-sliced, 32 at a
 * time. Constant time. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../random/sample.h"

#include "../../base/memory.h"

#define CBD_WORDS 42u /* random words for 32 samples: one bit of each word per sample */
#define CBD_HALF 21u

/* sum and carry of three bit planes */
#define FULL_ADD(sum, carry, a, b, c)                                                              \
    do {                                                                                           \
        uint32_t a_ = (a), c_ = (c);                                                               \
        uint32_t half_ = a_ ^ (b);                                                                 \
        sum = half_ ^ c_;                                                                          \
        carry = a_ ^ (half_ & (a_ ^ c_));                                                          \
    } while (0)

typedef struct {
    uint32_t p0, p1, p2, p3, p4, p5;
} planes;

/* Adds the number of ones in each lane of seven words; counts stay below 64. */
static inline planes count_seven(planes p, const uint32_t w[7]) {
    uint32_t s0, s1, s2, c0, c1, c2, c3, carry;
    FULL_ADD(s0, c0, w[0], w[1], w[2]);
    FULL_ADD(s1, c1, w[3], w[4], w[5]);
    FULL_ADD(s2, c2, s0, s1, w[6]);
    FULL_ADD(s1, c3, c0, c1, c2); /* count = s2 + 2*s1 + 4*c3 */
    carry = p.p0 & s2;
    p.p0 ^= s2;
    FULL_ADD(p.p1, carry, p.p1, s1, carry);
    FULL_ADD(p.p2, carry, p.p2, c3, carry);
    s0 = p.p3 & carry;
    p.p3 ^= carry;
    s1 = p.p4 & s0;
    p.p4 ^= s0;
    p.p5 ^= s1;
    return p;
}

/* Puts neighbouring fields of `low` and `high` side by side: even fields in `even`, odd ones in
 * `odd`. Runs of ones in `mask` are as wide as a field. */
static inline void pair(uint32_t *even, uint32_t *odd, uint32_t low, uint32_t high, uint32_t mask,
                        unsigned width) {
    *even = (low & mask) | (high & mask) << width;
    *odd = (low >> width & mask) | (high & ~mask);
}

/* Lanes r, r+8, r+16, r+24 (low nibbles) and r+4, r+12, ... (high nibbles) become the bytes of
 * words r and r+4: counts 0..42, minus 21 in every byte. */
static inline void store_counts(uint32_t *out, uint32_t nibbles, uint32_t tops) {
    const uint32_t mask = 0x0f0f0f0fu;
    uint32_t low, high;
    pair(&low, &high, nibbles, tops, mask, 4);
    out[0] = (low + (0x80u - CBD_HALF) * 0x01010101u) ^ 0x80808080u;
    out[4] = (high + (0x80u - CBD_HALF) * 0x01010101u) ^ 0x80808080u;
}

static inline void gather(uint32_t out[8], planes p) {
    uint32_t low[2], middle[2], top[2], nibbles[4];
    pair(&low[0], &low[1], p.p0, p.p1, 0x55555555u, 1);
    pair(&middle[0], &middle[1], p.p2, p.p3, 0x55555555u, 1);
    pair(&top[0], &top[1], p.p4, p.p5, 0x55555555u, 1);
    pair(&nibbles[0], &nibbles[2], low[0], middle[0], 0x33333333u, 2);
    pair(&nibbles[1], &nibbles[3], low[1], middle[1], 0x33333333u, 2);
    store_counts(out, nibbles[0], top[0] & 0x33333333u);
    store_counts(out + 1, nibbles[1], top[1] & 0x33333333u);
    store_counts(out + 2, nibbles[2], top[0] >> 2 & 0x33333333u);
    store_counts(out + 3, nibbles[3], top[1] >> 2 & 0x33333333u);
}

static void sample_group(int8_t out[32], const uint32_t words[CBD_WORDS]) {
    planes p = {0, 0, 0, 0, 0, 0};
#pragma GCC unroll 6
    for (unsigned w = 0; w < CBD_WORDS; w += 7) {
        p = count_seven(p, words + w);
    }
    gather((uint32_t *)(void *)out, p);
}

/* Samples two groups at a time, for longer runs of the stream; n is a multiple of 64. */
void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream) {
    uint32_t words[2 * CBD_WORDS];
    for (const int8_t *end = out + n; out != end; out += 64) {
        isopod_stream_words(stream, words, 2 * CBD_WORDS);
        sample_group(out, words);
        sample_group(out + 32, words + CBD_WORDS);
    }
    isopod_wipe(words, sizeof words);
}

#endif
