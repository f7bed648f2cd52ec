/* Memory above the module's own data, in pages of 64 KiB that the machine grants. */
#include "memory.h"

#include <stdint.h>

#define PAGE 65536u

extern uint8_t __heap_base;

static size_t taken; /* bytes above __heap_base */

static size_t base(void) {
    return ((size_t)(uintptr_t)&__heap_base + 15u) & ~(size_t)15u;
}

/* Pages up to `end` exist afterwards, or 0. */
static int grow(uint64_t end) {
    const uint64_t pages = (end + PAGE - 1u) / PAGE;
    const uint64_t present = __builtin_wasm_memory_size(0);
    if (pages <= present) {
        return 1;
    }
    return pages <= UINT16_MAX &&
           __builtin_wasm_memory_grow(0, (size_t)(pages - present)) != (size_t)-1;
}

void *memory_take(size_t bytes) {
    const uint64_t rounded = ((uint64_t)bytes + 15u) & ~(uint64_t)15u;
    const size_t start = base() + taken;
    if (!grow(start + rounded)) {
        return NULL;
    }
    taken += (size_t)rounded;
    return (void *)(uintptr_t)start; // NOLINT: linear memory is bytes by number
}

size_t memory_mark(void) {
    return taken;
}

void memory_release(size_t mark) {
    if (mark >= taken) {
        return;
    }
    uint8_t *const start = (uint8_t *)(uintptr_t)(base() + mark);
    __builtin_memset(start, 0, taken - mark);
    __asm__ volatile("" : : "r"(start) : "memory"); /* the zeros are not optimised away */
    taken = mark;
}
