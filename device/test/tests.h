/* The groups of tests; main.c runs them all. */
#ifndef ISOPOD_TESTS_H
#define ISOPOD_TESTS_H

void test_ciphertext_vectors(void);
void test_encryption(void);
void test_vectors(void);

#endif
