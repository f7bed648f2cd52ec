/* The tests' platform in a WebAssembly module: the embedder prints, and calls run_tests. */
#include "check.h"

uint64_t platform_arena[(size_t)1 << 20];
const size_t platform_arena_bytes = sizeof platform_arena;

__attribute__((import_module("env"), import_name("write"))) void embedder_write(const char *text);
__attribute__((import_module("env"), import_name("exit"))) _Noreturn void embedder_exit(int status);
__attribute__((export_name("run_tests"))) int run_tests(void);
int main(int argc, char **argv);

void platform_write(const char *text) {
    embedder_write(text);
}

void platform_exit(int status) {
    embedder_exit(status);
}

/* Runs all groups, or those of -DISOPOD_TEST_GROUPS='"a","b"'. */
int run_tests(void) {
#ifdef ISOPOD_TEST_GROUPS
    static const char *const words[] = {"tests", ISOPOD_TEST_GROUPS};
    return main(sizeof words / sizeof words[0], (char **)(uintptr_t)words);
#else
    static const char *const words[] = {"tests"};
    return main(1, (char **)(uintptr_t)words);
#endif
}
