/* Copying and wiping, sixteen bytes at a time, as every x86-64 processor can; large buffers are
 * wiped by 32. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../base/memory.h"

#include "avx2.h"

void isopod_copy(uint8_t *restrict out, const uint8_t *restrict in, size_t length) {
    for (; length >= 64; length -= 64, out += 64, in += 64) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < 64; i += 16) {
            _mm_storeu_si128((void *)(out + i), _mm_loadu_si128((const void *)(in + i)));
        }
    }
    while (length-- > 0) {
        *out++ = *in++;
    }
}

#define SPAN_BYTES 512u

/* Whole spans; returns the first byte behind them. */
static ISOPOD_AVX2 uint8_t *wipe_spans(uint8_t *at, size_t length) {
    for (; length >= SPAN_BYTES; length -= SPAN_BYTES, at += SPAN_BYTES) {
#pragma GCC unroll 16
        for (unsigned i = 0; i < SPAN_BYTES; i += 32) {
            isopod_store(at + i, _mm256_setzero_si256());
        }
    }
    return at;
}

/* The compiler must assume that the memory is read afterwards, and cannot remove the writes. */
void isopod_wipe(void *memory, size_t length) {
    uint8_t *at = memory;
    if (length >= SPAN_BYTES && isopod_has_avx2()) {
        at = wipe_spans(at, length);
        length %= SPAN_BYTES;
    }
    for (; length >= 16; length -= 16, at += 16) {
        _mm_storeu_si128((void *)at, _mm_setzero_si128());
    }
    while (length-- > 0) {
        *(volatile uint8_t *)at++ = 0;
    }
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* Depths that cover all vectors that kernels spill; functions with large buffers on the stack wipe
 * them themselves. */
#define SECRET_STACK_BYTES 4096u

__attribute__((noinline)) void isopod_wipe_stack(void) {
    uint8_t below[SECRET_STACK_BYTES];
    isopod_wipe(below, sizeof below);
}

__attribute__((noinline)) void isopod_wipe_shallow_stack(void) {
    isopod_wipe_stack();
}

__attribute__((noinline)) void isopod_wipe_deep_stack(void) {
    uint8_t below[2 * SECRET_STACK_BYTES];
    isopod_wipe(below, sizeof below);
}

#endif
