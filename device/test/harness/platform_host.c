/* The tests' platform on a host with a C library. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

uint64_t platform_arena[(size_t)1 << 22];
const size_t platform_arena_bytes = sizeof platform_arena;

void platform_write(const char *text) {
    fputs(text, stdout);
    fflush(stdout); /* so that a crash loses no output */
}

void platform_exit(int status) {
    exit(status);
}
