/* Positive control: a branch and an index that depend on a secret, which memcheck must report in
 * every build, or its silence about the library means nothing.
 *
 * Usage: control branch|index */
#include <stdint.h>
#include <stdio.h>
#include <valgrind/memcheck.h>

static volatile uint8_t table[256];
static volatile uint32_t secret = 0x5a;

/* Opaque to the compiler: a branch around a call cannot become a conditional move. */
__attribute__((noinline)) static void call(void) {
    __asm__ volatile("" ::: "memory");
    table[0] = 1;
}

__attribute__((noinline)) static void branch(uint32_t value) {
    if ((value & 1u) != 0) {
        call();
    }
}

__attribute__((noinline)) static void index_with(uint32_t value) {
    (void)table[value & 255u];
}

int main(int argc, char **argv) {
    uint32_t value = secret;
    if (argc != 2) {
        return 2;
    }
    (void)VALGRIND_MAKE_MEM_UNDEFINED(&value, sizeof value);
    if (argv[1][0] == 'b') {
        branch(value);
    } else {
        index_with(value);
    }
    puts("complete");
    return 0;
}
