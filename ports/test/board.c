/* Tests a board's services: console, files, memory functions, stack measurement, entropy, exit
 * status, words, faults.
 * Usage: board services IN OUT MISSING SHORT | exit STATUS | words COUNT WORD... | fault */
#include <stddef.h>
#include <stdint.h>

#include "semihosting/entropy.h"
#include "semihosting/semihosting.h"
#include "stack/stack.h"

void *memcpy(void *restrict out, const void *restrict in, size_t length);
void *memmove(void *out, const void *in, size_t length);
void *memset(void *out, int value, size_t length);
int memcmp(const void *left, const void *right, size_t length);

enum { FILE_BYTES = 1000, STACK_ARRAY_BYTES = 2048 };

static int failures;
static uint32_t initialised = 0x12345678;
static uint32_t cleared;

static void check(int condition, const char *what) {
    if (!condition) {
        semihosting_print("failed: ");
        semihosting_print(what);
        semihosting_print("\n");
        failures++;
    }
}

static int number_of(const char *text) {
    int number = 0;
    for (; *text != '\0'; text++) {
        number = number * 10 + (*text - '0');
    }
    return number;
}

static int all_zero(const uint8_t *bytes, size_t length) {
    uint8_t any = 0;
    for (size_t i = 0; i < length; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

/* Writes IN to OUT with every byte complemented. */
static void test_files(const char *in_path, const char *out_path) {
    static uint8_t buffer[FILE_BYTES + 1];
    const int in = semihosting_open(in_path, SEMIHOSTING_READ);
    const size_t got = semihosting_read(in, buffer, sizeof buffer);
    check(in >= 0 && got == FILE_BYTES, "read a file of 1000 bytes, asking for 1001");
    check(semihosting_read(in, buffer + got, 1) == 0, "read at the end of a file gives 0");
    check(semihosting_close(in) == 0, "close");
    for (size_t i = 0; i < got; i++) {
        buffer[i] = (uint8_t)~buffer[i];
    }
    const int out = semihosting_open(out_path, SEMIHOSTING_WRITE);
    check(semihosting_write(out, buffer, got) == got, "write a file");
    check(semihosting_close(out) == 0, "close what was written");
}

static void test_missing(const char *path) {
    uint8_t byte;
    check(semihosting_open(path, SEMIHOSTING_READ) == -1, "a missing file does not open");
    check(semihosting_read(-1, &byte, 1) == 0, "reading from no file gives 0");
}

static void test_entropy(char *missing, char *too_short) {
    uint8_t first[64] = {0};
    uint8_t second[64] = {0};
    check(isopod_entropy_semihosting(NULL, first, sizeof first) == 0, "entropy of the host");
    check(isopod_entropy_semihosting(NULL, second, sizeof second) == 0,
          "entropy of the host, again");
    check(memcmp(first, second, sizeof first) != 0 && !all_zero(first + 32, 32),
          "entropy is fresh and complete");
    check(isopod_entropy_semihosting(missing, first, sizeof first) != 0,
          "entropy from a missing file fails");
    check(all_zero(first, sizeof first), "failed entropy is zero");
    check(isopod_entropy_semihosting(too_short, second, sizeof second) != 0,
          "entropy from a short file fails");
    check(all_zero(second, sizeof second), "incomplete entropy is zero");
}

static void test_copy(size_t offset, size_t distance, size_t length) {
    uint8_t buffer[96];
    uint8_t moved[96];
    for (size_t i = 0; i < sizeof buffer; i++) {
        buffer[i] = moved[i] = (uint8_t)(i * 7 + 1);
    }
    memmove(moved + offset + distance, moved + offset, length);
    check(memcmp(moved + offset + distance, buffer + offset, length) == 0, "memmove up");
    memmove(moved + offset, moved + offset + distance, length);
    check(memcmp(moved + offset, buffer + offset, length) == 0, "memmove down");
    memset(moved, 0xA5, sizeof moved);
    memcpy(moved + offset, buffer + offset + distance, length);
    check(memcmp(moved + offset, buffer + offset + distance, length) == 0, "memcpy");
    check(moved[offset + length] == 0xA5 && (offset == 0 || moved[offset - 1] == 0xA5),
          "memcpy stays inside");
}

static void test_memory(void) {
    for (size_t offset = 0; offset < 5; offset++) {
        for (size_t length = 0; length < 20; length++) {
            test_copy(offset, length % 9, length);
        }
    }
    uint8_t left[3] = {1, 2, 200};
    uint8_t right[3] = {1, 2, 100};
    check(memcmp(left, right, 3) > 0 && memcmp(right, left, 3) < 0 && memcmp(left, right, 2) == 0,
          "memcmp order");
    check(initialised == 0x12345678 && cleared == 0, ".data is copied and .bss cleared");
}

__attribute__((noinline)) static void use_stack(void) {
    volatile uint8_t array[STACK_ARRAY_BYTES];
    array[0] = 1;
    array[STACK_ARRAY_BYTES - 1] = array[0];
}

static void test_stack(void) {
    isopod_stack_paint();
    const size_t idle = isopod_stack_used();
    use_stack();
    const size_t used = isopod_stack_used();
    check(idle <= 512, "an idle stack measures little");
    check(used >= STACK_ARRAY_BYTES && used <= STACK_ARRAY_BYTES + 64,
          "an array on the stack is measured");
    isopod_stack_paint();
    check(isopod_stack_used() == idle, "painting starts afresh");
}

static void test_services(int argc, char **argv) {
    check(argc == 6, "six words on the command line");
    if (argc == 6) {
        test_files(argv[2], argv[3]);
        test_missing(argv[4]);
        test_entropy(argv[4], argv[5]);
        test_memory();
        test_stack();
    }
}

int main(int argc, char **argv) {
    if (argc == 3 && argv[1][0] == 'e') {
        semihosting_exit(number_of(argv[2]));
    }
    if (argc == 2 && argv[1][0] == 'f') {
        __builtin_trap();
    }
    if (argc > 2 && argv[1][0] == 'w') {
        check(argc == 3 + number_of(argv[2]), "as many words as the second says");
    } else {
        test_services(argc, argv);
    }
    semihosting_print("failures: ");
    semihosting_print_decimal((uint64_t)failures);
    semihosting_print("\n");
    return failures != 0;
}
