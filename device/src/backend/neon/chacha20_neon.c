/* ChaCha20 blocks ([RFC8439], section 2.3) for NEON: four at a time, one per lane; the remaining
 * ones with one row of a block per vector. Constant time. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../random/chacha20.h"

#include <arm_neon.h>

#include "../../base/memory.h"

#define INLINE static inline __attribute__((always_inline))

/* "expand 32-byte k" */
static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

#define ROTATE_16(x) vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(x)))
#define ROTATE(x, by) vsriq_n_u32(vshlq_n_u32(x, by), x, 32 - (by))

#if defined(__aarch64__)
INLINE uint32x4_t rotate_8(uint32x4_t x) {
    static const uint8_t order[16] = {3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};
    return vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(x), vld1q_u8(order)));
}
#else
INLINE uint32x4_t rotate_8(uint32x4_t x) {
    return ROTATE(x, 8);
}
#endif

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a = vaddq_u32(a, b), d = veorq_u32(d, a), d = ROTATE_16(d);                                \
        c = vaddq_u32(c, d), b = veorq_u32(b, c), b = ROTATE(b, 12);                               \
        a = vaddq_u32(a, b), d = veorq_u32(d, a), d = rotate_8(d);                                 \
        c = vaddq_u32(c, d), b = veorq_u32(b, c), b = ROTATE(b, 7);                                \
    } while (0)

/* The rows of the initial state. */
typedef struct {
    uint32x4_t row[4];
} state;

INLINE state initial_state(const uint8_t key[32], const uint32_t input[4]) {
    const state in = {{vld1q_u32(constants), vreinterpretq_u32_u8(vld1q_u8(key)),
                       vreinterpretq_u32_u8(vld1q_u8(key + 16)), vld1q_u32(input)}};
    return in;
}

static void one_block(uint32_t *out, const state *in) {
    uint32x4_t a = in->row[0], b = in->row[1], c = in->row[2], d = in->row[3];
    for (unsigned i = 0; i < 10; i++) {
        QUARTER(a, b, c, d);
        b = vextq_u32(b, b, 1), c = vextq_u32(c, c, 2), d = vextq_u32(d, d, 3);
        QUARTER(a, b, c, d);
        b = vextq_u32(b, b, 3), c = vextq_u32(c, c, 2), d = vextq_u32(d, d, 1);
    }
    vst1q_u32(out, vaddq_u32(a, in->row[0]));
    vst1q_u32(out + 4, vaddq_u32(b, in->row[1]));
    vst1q_u32(out + 8, vaddq_u32(c, in->row[2]));
    vst1q_u32(out + 12, vaddq_u32(d, in->row[3]));
}

INLINE uint32x4_t low_halves(uint32x4_t a, uint32x4_t b) {
    return vcombine_u32(vget_low_u32(a), vget_low_u32(b));
}

INLINE uint32x4_t high_halves(uint32x4_t a, uint32x4_t b) {
    return vcombine_u32(vget_high_u32(a), vget_high_u32(b));
}

/* Words 4r .. 4r+3 of four blocks, one block per lane: row r of each block, plus its input. */
INLINE void store_rows(uint32_t *out, const uint32x4_t x[4], uint32x4_t input) {
    const uint32x4x2_t even = vtrnq_u32(x[0], x[1]), odd = vtrnq_u32(x[2], x[3]);
    vst1q_u32(out, vaddq_u32(low_halves(even.val[0], odd.val[0]), input));
    vst1q_u32(out + 16, vaddq_u32(low_halves(even.val[1], odd.val[1]), input));
    vst1q_u32(out + 32, vaddq_u32(high_halves(even.val[0], odd.val[0]), input));
    vst1q_u32(out + 48, vaddq_u32(high_halves(even.val[1], odd.val[1]), input));
}

INLINE void rounds(uint32x4_t x[16]) {
    for (unsigned i = 0; i < 10; i++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
}

/* The counters of the four blocks differ; they are added to the words 12 before the rows are. */
static void four_blocks(uint32_t *out, const state *in, const uint32_t words[16]) {
    static const uint32_t steps[4] = {0, 1, 2, 3};
    const uint32x4_t step = vld1q_u32(steps);
    uint32x4_t x[16];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 16; i++) {
        x[i] = vld1q_dup_u32(words + i);
    }
    x[12] = vaddq_u32(x[12], step);
    rounds(x);
    x[12] = vaddq_u32(x[12], step);
    store_rows(out, x, in->row[0]);
    store_rows(out + 4, x + 4, in->row[1]);
    store_rows(out + 8, x + 8, in->row[2]);
    store_rows(out + 12, x + 12, in->row[3]);
}

void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
    const uint32_t first[4] = {1, 0, 0, 0};
    const uint32x4_t one = vld1q_u32(first);
    state in = initial_state(key, input);
    uint32_t words[16];
    for (; count >= 4; count -= 4, out += 4 * ISOPOD_CHACHA20_WORDS) {
#pragma GCC unroll 8
        for (unsigned r = 0; r < 4; r++) {
            vst1q_u32(words + 4 * r, in.row[r]);
        }
        four_blocks(out, &in, words);
        in.row[3] = vaddq_u32(in.row[3], vshlq_n_u32(one, 2));
    }
    for (; count > 0; count--, out += ISOPOD_CHACHA20_WORDS) {
        one_block(out, &in);
        in.row[3] = vaddq_u32(in.row[3], one);
    }
}

/* Words 0..3 and 12..15 of the state before the block function's final addition. */
void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]) {
    uint32_t input[4], block[16];
#pragma GCC unroll 8
    for (unsigned i = 0; i < 4; i++) {
        input[i] = isopod_load32(nonce + 4 * i);
    }
    isopod_chacha20_block(block, key, input);
#pragma GCC unroll 8
    for (unsigned i = 0; i < 4; i++) {
        isopod_store32(out + 4 * i, block[i] - constants[i]);
        isopod_store32(out + 16 + 4 * i, block[12 + i] - input[i]);
    }
    isopod_wipe(block, sizeof block);
}

#endif
