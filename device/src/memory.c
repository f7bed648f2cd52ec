#include "memory.h"

static int is_word_aligned(const uint8_t *at) {
    return ((uintptr_t)at & 3u) == 0;
}

void isopod_wipe(void *memory, size_t length) {
    volatile uint8_t *at = memory;
    if (is_word_aligned(memory)) {
        volatile uint32_t *word = memory;
        for (; length >= 4; length -= 4) {
            *word++ = 0;
        }
        at = (volatile uint8_t *)word;
    }
    while (length-- > 0) {
        *at++ = 0;
    }
}

/* Deeper than any call of the library that handles noise or keys. */
#define SECRET_STACK_BYTES 768u

#if defined(__GNUC__) || defined(__clang__)
__attribute__((noinline))
#endif
void isopod_wipe_stack(void) {
    uint32_t below[SECRET_STACK_BYTES / 4];
    isopod_wipe(below, sizeof below);
}
