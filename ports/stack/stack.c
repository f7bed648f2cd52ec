#include "stack.h"

static const uint32_t PAINT = 0xC0DEFACEU;

/* On x86-64 a function may use 128 bytes below its stack pointer; on the boards none. */
#if defined(__x86_64__)
enum { UNPAINTED_WORDS = 64 };
#else
enum { UNPAINTED_WORDS = 0 };
#endif

/* The stack pointer of a function's caller. On RISC-V the frame pointer holds it, too; Clang 14
 * crashes on the other form for RV64. */
#if defined(__riscv) && defined(__clang__)
#define CALLERS_STACK_POINTER() __builtin_frame_address(0)
#else
#define CALLERS_STACK_POINTER() __builtin_dwarf_cfa()
#endif

static volatile uint32_t *paint_point;

static inline volatile uint32_t *stack_pointer(void) {
    uintptr_t address;
#if defined(__arm__) || defined(__aarch64__)
    __asm__ volatile("mov %0, sp" : "=r"(address));
#elif defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(address));
#else
    __asm__ volatile("mov %%rsp, %0" : "=r"(address));
#endif
    return (volatile uint32_t *)(address & ~(uintptr_t)3);
}

__attribute__((noinline)) void isopod_stack_paint(void) {
    volatile uint32_t *word = isopod_stack_limit();
    volatile uint32_t *const end = stack_pointer() - UNPAINTED_WORDS;
    paint_point = (volatile uint32_t *)CALLERS_STACK_POINTER();
    while (word < end) {
        *word++ = PAINT;
    }
}

__attribute__((noinline)) size_t isopod_stack_used(void) {
    volatile uint32_t *word = isopod_stack_limit();
    while (word < paint_point && *word == PAINT) {
        word++;
    }
    return (size_t)((uintptr_t)paint_point - (uintptr_t)word);
}
