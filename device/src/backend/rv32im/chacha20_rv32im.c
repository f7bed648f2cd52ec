/* ChaCha20 blocks ([RFC8439], section 2.3) for RV32IM, constant time. The machine has no rotation:
 * each costs three instructions, a quarter round 20, a block at least 1600. The 16 words stay in
 * registers. Blocks of one call differ in word 12 only. So all columns of the first round but the
 * one of the counter are computed once per call. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../random/chacha20.h"

#include "../../base/memory.h"

/* "expand 32-byte k" */
static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

#define ROTATE(value, by) ((value) << (by) | (value) >> (32 - (by)))

#define SECOND_HALF(a, b, c, d)                                                                    \
    do {                                                                                           \
        c += d, b ^= c, b = ROTATE(b, 12);                                                         \
        a += b, d ^= a, d = ROTATE(d, 8);                                                          \
        c += d, b ^= c, b = ROTATE(b, 7);                                                          \
    } while (0)

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b, d ^= a, d = ROTATE(d, 16);                                                         \
        SECOND_HALF(a, b, c, d);                                                                   \
    } while (0)

/* The input of the first block, and the state after columns 1 to 3 of its first round and the first
 * addition of column 0. */
typedef struct {
    uint32_t in[16];
    uint32_t started[16];
} batch;

static void start(batch *batch) {
    const uint32_t *in = batch->in;
    uint32_t *x = batch->started;
    x[0] = in[0] + in[4], x[4] = in[4], x[8] = in[8];
#pragma GCC unroll 3
    for (unsigned i = 1; i < 4; i++) {
        uint32_t a = in[i], b = in[i + 4], c = in[i + 8], d = in[i + 12];
        QUARTER(a, b, c, d);
        x[i] = a, x[i + 4] = b, x[i + 8] = c, x[i + 12] = d;
    }
}

/* Not inlined: the compiler would keep the batch in registers and the state on the stack. */
__attribute__((noinline)) static void run(uint32_t *out, batch *batch, uint32_t count) {
    const uint32_t *x = batch->started, *in = batch->in;
    for (const uint32_t *end = out + ISOPOD_CHACHA20_WORDS * count; out != end;
         out += ISOPOD_CHACHA20_WORDS) {
        uint32_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6];
        uint32_t x7 = x[7], x8 = x[8], x9 = x[9], x10 = x[10], x11 = x[11];
        uint32_t x12 = in[12] ^ x0, x13 = x[13], x14 = x[14], x15 = x[15];
        x12 = ROTATE(x12, 16);
        SECOND_HALF(x0, x4, x8, x12);
        for (unsigned left = 9;; left--) {
            QUARTER(x0, x5, x10, x15);
            QUARTER(x1, x6, x11, x12);
            QUARTER(x2, x7, x8, x13);
            QUARTER(x3, x4, x9, x14);
            if (left == 0) {
                break;
            }
            QUARTER(x0, x4, x8, x12);
            QUARTER(x1, x5, x9, x13);
            QUARTER(x2, x6, x10, x14);
            QUARTER(x3, x7, x11, x15);
        }
        out[0] = x0 + in[0], out[1] = x1 + in[1], out[2] = x2 + in[2], out[3] = x3 + in[3];
        out[4] = x4 + in[4], out[5] = x5 + in[5], out[6] = x6 + in[6], out[7] = x7 + in[7];
        out[8] = x8 + in[8], out[9] = x9 + in[9], out[10] = x10 + in[10], out[11] = x11 + in[11];
        out[12] = x12 + in[12], out[13] = x13 + in[13], out[14] = x14 + in[14];
        out[15] = x15 + in[15];
        batch->in[12]++;
    }
}

static uint32_t is_aligned(const uint8_t *at) {
    return ((uintptr_t)at & 3u) == 0;
}

static void fill_input(uint32_t in[16], const uint8_t key[32], const uint32_t input[4]) {
    uint32_t moved[8];
    const uint32_t *words = (const uint32_t *)(const void *)key;
    if (!is_aligned(key)) {
        for (unsigned i = 0; i < 8; i++) {
            moved[i] = isopod_load32(key + 4 * i);
        }
        words = moved;
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        in[i] = constants[i];
        in[4 + i] = words[i];
        in[8 + i] = words[4 + i];
        in[12 + i] = input[i];
    }
}

void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
    batch batch;
    fill_input(batch.in, key, input);
    start(&batch);
    run(out, &batch, count);
}

/* Words 0..3 and 12..15 of the state before the block function's final addition. */
void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]) {
    uint32_t input[4], block[16];
    for (unsigned i = 0; i < 4; i++) {
        input[i] = isopod_load32(nonce + 4 * i);
    }
    isopod_chacha20_block(block, key, input);
    for (unsigned i = 0; i < 4; i++) {
        isopod_store32(out + 4 * i, block[i] - constants[i]);
        isopod_store32(out + 16 + 4 * i, block[12 + i] - input[i]);
    }
    isopod_wipe(block, sizeof block);
}

#endif
