/* ChaCha20 blocks ([RFC8439], section 2.3) for 8-bit AVR. The state is computed in the output, and
 * the input is made again for the last addition, so that no second state lies in RAM. Rotations by
 * whole bytes move registers; those by 12 and 7 take four shifts and one more. Constant time. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(avr)

#include "../../random/chacha20.h"

#include "../../base/memory.h"
#include "../../base/program_memory.h"

#define ROTATE_8(x)                                                                                \
    __asm__("mov __tmp_reg__,%D0\n\tmov %D0,%C0\n\tmov %C0,%B0\n\tmov %B0,%A0\n\t"                 \
            "mov %A0,__tmp_reg__"                                                                  \
            : "+r"(x))
#define ROTATE_16(x)                                                                               \
    __asm__("mov __tmp_reg__,%A0\n\tmov %A0,%C0\n\tmov %C0,__tmp_reg__\n\t"                        \
            "mov __tmp_reg__,%B0\n\tmov %B0,%D0\n\tmov %D0,__tmp_reg__"                            \
            : "+r"(x))
#define LEFT_1(x)                                                                                  \
    __asm__("lsl %A0\n\trol %B0\n\trol %C0\n\trol %D0\n\tadc %A0,__zero_reg__" : "+r"(x))
#define RIGHT_1(x)                                                                                 \
    __asm__("bst %A0,0\n\tlsr %D0\n\tror %C0\n\tror %B0\n\tror %A0\n\tbld %D0,7" : "+r"(x))

static ISOPOD_NOINLINE void quarter(uint32_t *at_a, uint32_t *at_b, uint32_t *at_c,
                                    uint32_t *at_d) {
    uint32_t a = *at_a, b = *at_b, c = *at_c, d = *at_d;
    a += b, d ^= a;
    ROTATE_16(d);
    c += d, b ^= c;
    ROTATE_8(b);
    LEFT_1(b);
    LEFT_1(b);
    LEFT_1(b);
    LEFT_1(b);
    a += b, d ^= a;
    ROTATE_8(d);
    c += d, b ^= c;
    ROTATE_8(b);
    RIGHT_1(b);
    *at_a = a, *at_b = b, *at_c = c, *at_d = d;
}

static const uint8_t constants[] ISOPOD_PROGRAM_MEMORY = "expand 32-byte k";

static ISOPOD_NOINLINE void add_embedded(uint32_t *x, const uint8_t *words, uint8_t count) {
    for (; count > 0; count--, words += 4) {
        *x++ += isopod_program_load32(words);
    }
}

static ISOPOD_NOINLINE void add(uint32_t *x, const void *words, uint8_t count) {
    for (const isopod_alias32 *at = words; count > 0; count--) {
        *x++ += *at++;
    }
}

/* Adds the first state. */
static void add_state(uint32_t x[16], const uint8_t key[32], const uint32_t input[4],
                      uint8_t is_embedded) {
    add_embedded(x, constants, 4);
    if (is_embedded) {
        add_embedded(x + 4, key, 8);
    } else {
        add(x + 4, key, 8);
    }
    add(x + 12, input, 4);
}

static void fill(uint32_t x[16], const uint8_t key[32], const uint32_t input[4],
                 uint8_t is_embedded) {
    isopod_wipe(x, 4u * ISOPOD_CHACHA20_WORDS);
    add_state(x, key, input, is_embedded);
}

/* Eight functions of one pointer each would save fewer registers, but four of them cost less. */
static ISOPOD_NOINLINE void columns(uint32_t x[16]) {
    quarter(x, x + 4, x + 8, x + 12);
    quarter(x + 1, x + 5, x + 9, x + 13);
    quarter(x + 2, x + 6, x + 10, x + 14);
    quarter(x + 3, x + 7, x + 11, x + 15);
}

static ISOPOD_NOINLINE void diagonals(uint32_t x[16]) {
    quarter(x, x + 5, x + 10, x + 15);
    quarter(x + 1, x + 6, x + 11, x + 12);
    quarter(x + 2, x + 7, x + 8, x + 13);
    quarter(x + 3, x + 4, x + 9, x + 14);
}

static void twenty_rounds(uint32_t x[16]) {
    for (uint8_t i = 0; i < 10; i++) {
        columns(x);
        diagonals(x);
    }
}

void isopod_chacha20_block(uint32_t out[16], const uint8_t key[32], const uint32_t input[4]) {
    fill(out, key, input, 0);
    twenty_rounds(out);
    add_state(out, key, input, 0);
}

void isopod_chacha20_embedded(uint32_t out[16], const uint8_t key[32], const uint32_t input[4]) {
    fill(out, key, input, 1);
    twenty_rounds(out);
    add_state(out, key, input, 1);
}

void isopod_chacha20_blocks(uint32_t *out, const uint8_t key[32], const uint32_t input[4],
                            uint32_t count) {
    uint32_t next[4] = {input[0], input[1], input[2], input[3]};
    for (; count > 0; count--, next[0]++, out += ISOPOD_CHACHA20_WORDS) {
        isopod_chacha20_block(out, key, next);
    }
}

/* Words 0..3 and 12..15 of the state before the block function's final addition. */
void isopod_hchacha20(uint8_t out[32], const uint8_t key[32], const uint8_t nonce[16]) {
    uint32_t input[4], block[16];
    for (uint8_t i = 0; i < 4; i++) {
        input[i] = isopod_load32(nonce + 4 * i);
    }
    fill(block, key, input, 0);
    twenty_rounds(block);
    for (uint8_t i = 0; i < 4; i++) {
        isopod_store32(out + 4 * i, block[i]);
        isopod_store32(out + 16 + 4 * i, block[12 + i]);
    }
    isopod_wipe(block, sizeof block);
}

#endif
