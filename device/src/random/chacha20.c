/* ChaCha20 blocks ([RFC8439], section 2.3) and HChaCha20 ([XCHACHA03], section 2.2) in portable C,
 * constant time. */
#include "chacha20.h"

#include "../base/memory.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(CHACHA20)
static inline uint32_t rotate_left(uint32_t value, unsigned by) {
    return (value << by) | (value >> (32 - by));
}

/* "expand 32-byte k" */
static const uint32_t constants[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};

#define QUARTER(a, b, c, d)                                                                        \
    do {                                                                                           \
        a += b, d = rotate_left(d ^ a, 16);                                                        \
        c += d, b = rotate_left(b ^ c, 12);                                                        \
        a += b, d = rotate_left(d ^ a, 8);                                                         \
        c += d, b = rotate_left(b ^ c, 7);                                                         \
    } while (0)

static void one_block(uint32_t out[16], const uint8_t key[32], const uint32_t input[4]) {
    uint32_t x0 = constants[0], x1 = constants[1], x2 = constants[2], x3 = constants[3];
    uint32_t x4 = isopod_load32(key), x5 = isopod_load32(key + 4), x6 = isopod_load32(key + 8);
    uint32_t x7 = isopod_load32(key + 12), x8 = isopod_load32(key + 16);
    uint32_t x9 = isopod_load32(key + 20), x10 = isopod_load32(key + 24);
    uint32_t x11 = isopod_load32(key + 28);
    uint32_t x12 = input[0], x13 = input[1], x14 = input[2], x15 = input[3];
    for (unsigned i = 0; i < 10; i++) {
        QUARTER(x0, x4, x8, x12);
        QUARTER(x1, x5, x9, x13);
        QUARTER(x2, x6, x10, x14);
        QUARTER(x3, x7, x11, x15);
        QUARTER(x0, x5, x10, x15);
        QUARTER(x1, x6, x11, x12);
        QUARTER(x2, x7, x8, x13);
        QUARTER(x3, x4, x9, x14);
    }
    out[0] = x0 + constants[0], out[1] = x1 + constants[1];
    out[2] = x2 + constants[2], out[3] = x3 + constants[3];
    out[4] = x4 + isopod_load32(key), out[5] = x5 + isopod_load32(key + 4);
    out[6] = x6 + isopod_load32(key + 8), out[7] = x7 + isopod_load32(key + 12);
    out[8] = x8 + isopod_load32(key + 16), out[9] = x9 + isopod_load32(key + 20);
    out[10] = x10 + isopod_load32(key + 24), out[11] = x11 + isopod_load32(key + 28);
    out[12] = x12 + input[0], out[13] = x13 + input[1];
    out[14] = x14 + input[2], out[15] = x15 + input[3];
}

ISOPOD_NOINLINE static void run(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                                uint32_t count) {
    uint32_t at[4] = {input[0], input[1], input[2], input[3]};
    for (; count > 0; count--, out += ISOPOD_CHACHA20_WORDS, at[0]++) {
        one_block(out, key, at);
    }
}

void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
#if ISOPOD_TAKES(CHACHA20)
    if (isopod_native_chacha20_blocks(out, key, input, count)) {
        return;
    }
#endif
    run(out, key, input, count);
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
