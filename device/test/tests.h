/* The groups of tests; main.c runs them all. */
#ifndef ISOPOD_TESTS_H
#define ISOPOD_TESTS_H

void test_encryption(void);

#endif
