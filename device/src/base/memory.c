/* Copying and wiping of memory and of the stack, in portable C. */
#include "memory.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(MEMORY)
static int is_word_aligned(const uint8_t *at) {
    return ((uintptr_t)at & 3u) == 0;
}

/* Copies four words at a time where both sides are aligned, as chunks and most buffers are. */
void isopod_copy(uint8_t *restrict out, const uint8_t *restrict in, size_t length) {
    if (is_word_aligned(out) && is_word_aligned(in)) {
        isopod_alias32 *word_out = (isopod_alias32 *)(void *)out;
        const isopod_alias32 *word_in = (const isopod_alias32 *)(const void *)in;
        for (; length >= 16; length -= 16, word_out += 4, word_in += 4) {
            uint32_t a = word_in[0], b = word_in[1], c = word_in[2], d = word_in[3];
            word_out[0] = a, word_out[1] = b, word_out[2] = c, word_out[3] = d;
        }
        out = (uint8_t *)word_out;
        in = (const uint8_t *)word_in;
    }
    while (length-- > 0) {
        *out++ = *in++;
    }
}

void isopod_wipe(void *memory, size_t length) {
    volatile uint8_t *at = memory;
    if (is_word_aligned(memory)) {
        volatile uint32_t *word = memory;
        for (; length >= 16; length -= 16, word += 4) {
            word[0] = 0, word[1] = 0, word[2] = 0, word[3] = 0;
        }
        for (; length >= 4; length -= 4) {
            *word++ = 0;
        }
        at = (volatile uint8_t *)word;
    }
    while (length-- > 0) {
        *at++ = 0;
    }
}

/* Depths beyond any call of the library that handles noise or keys, as test_stack.c shows on
 * boards. */
#if defined(__ARM_NEON)
#define SECRET_STACK_BYTES 4096u
#define SHALLOW_STACK_BYTES 4096u
#define DEEP_STACK_BYTES 8192u
#elif UINTPTR_MAX > UINT32_MAX
#define SECRET_STACK_BYTES 1536u
#define SHALLOW_STACK_BYTES 1536u
#define DEEP_STACK_BYTES 3072u
#elif defined(__riscv)
#define SECRET_STACK_BYTES 1408u
#define SHALLOW_STACK_BYTES 896u
#define DEEP_STACK_BYTES 2048u
#else
#define SECRET_STACK_BYTES 880u
#define SHALLOW_STACK_BYTES 608u
#define DEEP_STACK_BYTES 2048u
#endif

ISOPOD_NOINLINE void isopod_wipe_stack(void) {
    uint32_t below[SECRET_STACK_BYTES / 4];
    isopod_wipe(below, sizeof below);
}

ISOPOD_NOINLINE void isopod_wipe_shallow_stack(void) {
    uint32_t below[SHALLOW_STACK_BYTES / 4];
    isopod_wipe(below, sizeof below);
}

ISOPOD_NOINLINE void isopod_wipe_deep_stack(void) {
    uint32_t below[DEEP_STACK_BYTES / 4];
    isopod_wipe(below, sizeof below);
}
#endif
