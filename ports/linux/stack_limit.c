#include "../stack/stack.h"

/* The kernel grows a process's stack down to its resource limit (8 MiB by default); 256 KiB of it
 * are watched. */
enum { WATCHED_BYTES = 256 * 1024, PAGE_BYTES = 4096 };

/* Valgrind maps only pages that the stack pointer has passed. */
__attribute__((noinline)) static void grow_stack(void) {
    uint8_t deep[WATCHED_BYTES + PAGE_BYTES];
    deep[0] = 0;
    __asm__ volatile("" ::"r"(deep) : "memory");
}

uint32_t *isopod_stack_limit(void) {
    static uint32_t *limit;
    if (limit == NULL) {
        grow_stack();
        const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
        limit = (uint32_t *)((here - WATCHED_BYTES) & ~(uintptr_t)3);
    }
    return limit;
}
