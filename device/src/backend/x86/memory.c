/* Sixteen bytes at a time; every x86-64 processor can. */
#include "../../memory.h"

#include <emmintrin.h>

void isopod_copy(uint8_t *restrict out, const uint8_t *restrict in, size_t length) {
    for (; length >= 64; length -= 64, out += 64, in += 64) {
        for (unsigned i = 0; i < 64; i += 16) {
            _mm_storeu_si128((void *)(out + i), _mm_loadu_si128((const void *)(in + i)));
        }
    }
    while (length-- > 0) {
        *out++ = *in++;
    }
}

/* Who reads the memory afterwards the compiler cannot know: it has to be written. */
void isopod_wipe(void *memory, size_t length) {
    uint8_t *at = memory;
    for (; length >= 256; length -= 256, at += 256) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < 256; i += 16) {
            _mm_storeu_si128((void *)(at + i), _mm_setzero_si128());
        }
    }
    for (; length >= 16; length -= 16, at += 16) {
        _mm_storeu_si128((void *)at, _mm_setzero_si128());
    }
    while (length-- > 0) {
        *(volatile uint8_t *)at++ = 0;
    }
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Below the functions of this backend that hold large buffers, which they wipe themselves, all
 * vectors that kernels spill lie within. */
#define SECRET_STACK_BYTES 4096u

__attribute__((noinline)) void isopod_wipe_stack(void) {
    uint8_t below[SECRET_STACK_BYTES];
    isopod_wipe(below, sizeof below);
}
