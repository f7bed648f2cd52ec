/* The groups of tests; main.c runs them, all or those named. */
#ifndef ISOPOD_TESTS_H
#define ISOPOD_TESTS_H

void test_abandoned_frame(void);
void test_arithmetic(void);
void test_ciphertext_vectors(void);
void test_decryption(void);
void test_decryption_errors(void);
void test_wide_decryption(void);
void test_integer_decryption(void);
void test_wide_integer_decryption(void);
void test_distribution(void);
void test_encryption(void);
void test_shapes(void);
void test_integers(void);
void test_integer_errors(void);
void test_entropy(void);
void test_errors(void);
void test_faults(void);
void test_hygiene(void);
void test_inverse(void);
void test_key_pair(void);
void test_keys(void);
void test_primitives(void);
void test_roots(void);
void test_split_key(void);
void test_stack(void);
void test_states(void);
void test_tfhe_bools(void);
void test_tfhe_decryption(void);
void test_tfhe_errors(void);
void test_tfhe_hygiene(void);
void test_tfhe_noise(void);
void test_tfhe_products(void);
void test_tfhe_traces(void);
void test_tfhe_vectors(void);
void test_traces(void);
void test_transforms(void);
void test_vectors(void);
void test_wide_vectors(void);
void test_wide_ciphertexts(void);
void test_wide_errors(void);
void test_wide_inverse(void);
void test_wide_unpack(void);

/* Only on hosts: they need long double, or an operating system. */
void test_encode_bound(void);
void test_entropy_port(void);

#endif
