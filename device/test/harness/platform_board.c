/* The tests' platform on an emulated board, over its debugger (ports/semihosting). */
#include "check.h"
#include "semihosting/semihosting.h"

/* Not cleared at reset: check_memory clears what it gives. */
__attribute__((section(".bss.external"))) uint64_t platform_arena[(size_t)3 << 18];
const size_t platform_arena_bytes = sizeof platform_arena;

void platform_write(const char *text) {
    semihosting_print(text);
}

void platform_exit(int status) {
    semihosting_exit(status);
}
