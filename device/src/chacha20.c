#include "chacha20.h"

#include "memory.h"

static inline uint32_t rotate_left(uint32_t value, unsigned by) {
    return (value << by) | (value >> (32 - by));
}

#define QUARTER(a, b, c, d) \
    do { \
        a += b, d = rotate_left(d ^ a, 16); \
        c += d, b = rotate_left(b ^ c, 12); \
        a += b, d = rotate_left(d ^ a, 8); \
        c += d, b = rotate_left(b ^ c, 7); \
    } while (0)

static void start(uint32_t x[16], const uint8_t key[32]) {
    x[0] = 0x61707865u; /* "expand 32-byte k" */
    x[1] = 0x3320646eu;
    x[2] = 0x79622d32u;
    x[3] = 0x6b206574u;
    for (unsigned i = 0; i < 8; i++) {
        x[4 + i] = isopod_load32(key + 4 * i);
    }
}

static void rounds(uint32_t x[16]) {
    uint32_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6];
    uint32_t x7 = x[7], x8 = x[8], x9 = x[9], x10 = x[10], x11 = x[11], x12 = x[12];
    uint32_t x13 = x[13], x14 = x[14], x15 = x[15];
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
    x[0] = x0, x[1] = x1, x[2] = x2, x[3] = x3, x[4] = x4, x[5] = x5, x[6] = x6, x[7] = x7;
    x[8] = x8, x[9] = x9, x[10] = x10, x[11] = x11, x[12] = x12, x[13] = x13, x[14] = x14;
    x[15] = x15;
}

void isopod_chacha20_block(uint32_t out[16], const uint8_t key[32], const uint32_t input[4]) {
    start(out, key);
    for (unsigned i = 0; i < 4; i++) {
        out[12 + i] = input[i];
    }
    rounds(out);
    out[0] += 0x61707865u, out[1] += 0x3320646eu, out[2] += 0x79622d32u, out[3] += 0x6b206574u;
    for (unsigned i = 0; i < 8; i++) {
        out[4 + i] += isopod_load32(key + 4 * i);
    }
    for (unsigned i = 0; i < 4; i++) {
        out[12 + i] += input[i];
    }
}

void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]) {
    uint32_t x[16];
    start(x, key);
    for (unsigned i = 0; i < 4; i++) {
        x[12 + i] = isopod_load32(nonce + 4 * i);
    }
    rounds(x);
    for (unsigned i = 0; i < 4; i++) {
        isopod_store32(out + 4 * i, x[i]);
        isopod_store32(out + 16 + 4 * i, x[12 + i]);
    }
    isopod_wipe(x, sizeof x);
}
