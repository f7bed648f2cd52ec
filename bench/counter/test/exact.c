/* Regions with known instruction counts, in the order that test_counter.py expects. */
#include <stdint.h>

#include "../markers.h"

void exact_loop(uint32_t iterations);

static void empty_region(void) {
    isopod_region_begin();
    isopod_region_end();
}

static void hundred_nops(void) {
    isopod_region_begin();
    __asm__ volatile(".rept 100\n\tnop\n\t.endr" ::: "memory");
    isopod_region_end();
}

#if defined(__x86_64__)

static void loops(void) {
    isopod_region_begin();
    uint32_t count = 100000;
    __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(count)::"memory", "cc");
    isopod_region_end();
}

#else

#define BORDERS(call)                                                                              \
    call(0) call(1) call(2) call(3) call(4) call(5) call(6) call(7) call(8) call(9)
#define DECLARE(number)                                                                            \
    void exact_border_##number(void);                                                              \
    void exact_border_at_##number(void);
#define CALL(number)                                                                               \
    exact_border_##number();                                                                       \
    exact_border_at_##number();

BORDERS(DECLARE)

static void nested_regions(void) {
    isopod_region_begin();
    __asm__ volatile(".rept 7\n\tnop\n\t.endr" ::: "memory");
    isopod_region_begin();
    __asm__ volatile(".rept 5\n\tnop\n\t.endr" ::: "memory");
    isopod_region_end();
    __asm__ volatile(".rept 3\n\tnop\n\t.endr" ::: "memory");
    isopod_region_end();
}

static void loops(void) {
    exact_loop(100000);
    nested_regions();
    BORDERS(CALL)
}

#endif

/* "open" leaves a region open and "close" ends one too many: the counter must report both. */
static void misuse(const char *mistake) {
    if (mistake[0] == 'o') {
        isopod_region_begin();
    } else {
        isopod_region_end();
    }
}

int main(int argc, char **argv) {
    empty_region();
    hundred_nops();
    loops();
    if (argc > 1) {
        misuse(argv[1]);
    }
    return 0;
}
