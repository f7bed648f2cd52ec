/* Checks of the device library's tests, on hosts and boards alike: no C library. */
#ifndef ISOPOD_TEST_CHECK_H
#define ISOPOD_TEST_CHECK_H

#include <stddef.h>
#include <stdint.h>

/* Records one check; prints `what` and the place if it failed. */
void check_that(int holds, const char *what, const char *file, int line);
#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)

/* Checks as CHECK does, but counts failures only: for conditions tested very often. */
#define CHECK_QUIET(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            CHECK(condition);                                                                      \
        }                                                                                          \
    } while (0)

/* Begins a group of tests and prints its name. */
void check_group(const char *name);

/* The case that the following checks belong to, printed with a failure; `number` tells repeated
 * ones apart. */
void check_case(const char *name, uint32_t number);

/* Prints one number with its name, for people. */
void check_report(const char *name, uint64_t value);

/* Prints "N passed, N failed" and returns the number of failures. */
int check_summary(void);

/* Memory that lives until check_memory_reset; zeroed, 8-byte aligned. Running out is a failure that
 * ends the tests. */
void *check_memory(size_t bytes);
void check_memory_reset(void);
/* Gives back all memory taken since the mark. */
size_t check_memory_mark(void);
void check_memory_release(size_t mark);

/* Defined by the platform (platform_host.c, or the board's port). */
void platform_write(const char *text);
extern uint64_t platform_arena[];
extern const size_t platform_arena_bytes;
_Noreturn void platform_exit(int status);

#endif
