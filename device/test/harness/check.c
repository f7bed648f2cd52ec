/* Counting and printing of checks, and memory for the tests from one array. */
#include "check.h"

#define PRINTED_PER_GROUP 12u

static uint32_t passed, failed, failed_before;
static const char *case_name = "";
static uint32_t case_number;
static size_t arena_used;

static void write_number(uint64_t value) {
    char digits[21];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    platform_write(at);
}

static void describe_failure(const char *what, const char *file, int line) {
    platform_write("FAILED ");
    platform_write(file);
    platform_write(":");
    write_number((uint64_t)line);
    platform_write(" [");
    platform_write(case_name);
    platform_write(" ");
    write_number(case_number);
    platform_write("] ");
    platform_write(what);
    platform_write("\n");
}

void check_that(int holds, const char *what, const char *file, int line) {
    if (holds) {
        passed++;
        return;
    }
    if (failed++ - failed_before < PRINTED_PER_GROUP) {
        describe_failure(what, file, line);
    }
}

void check_case(const char *name, uint32_t number) {
    case_name = name;
    case_number = number;
}

void check_report(const char *name, uint64_t value) {
    platform_write("  ");
    platform_write(name);
    platform_write(" ");
    write_number(value);
    platform_write("\n");
}

static void report_unprinted(void) {
    if (failed - failed_before > PRINTED_PER_GROUP) {
        check_report("more failures not printed:", failed - failed_before - PRINTED_PER_GROUP);
    }
    failed_before = failed;
}

void check_group(const char *name) {
    report_unprinted();
    platform_write(name);
    platform_write("\n");
    check_case(name, 0);
}

int check_summary(void) {
    report_unprinted();
    write_number(passed);
    platform_write(" passed, ");
    write_number(failed);
    platform_write(" failed\n");
    return (int)failed;
}

void *check_memory(size_t bytes) {
    size_t words = (bytes + 7) / 8;
    uint64_t *memory = platform_arena + arena_used;
    if ((arena_used + words) * 8 > platform_arena_bytes) {
        platform_write("FAILED: the test arena is too small\n");
        platform_exit(1);
    }
    arena_used += words;
    for (size_t i = 0; i < words; i++) {
        memory[i] = 0;
    }
    return memory;
}

void check_memory_reset(void) {
    arena_used = 0;
}

size_t check_memory_mark(void) {
    return arena_used;
}

void check_memory_release(size_t mark) {
    arena_used = mark;
}
