/* Runs every group of tests, or those whose names are arguments. */
#include "check.h"
#include "fixture.h"
#include "tests.h"

typedef struct {
    const char *name;
    void (*run)(void);
} group;

static const group groups[] = {
    {"primitives", test_primitives},
    {"arithmetic", test_arithmetic},
    {"transforms", test_transforms},
    {"inverse", test_inverse},
    {"wide_inverse", test_wide_inverse},
    {"wide_unpack", test_wide_unpack},
    {"distribution", test_distribution},
    {"vectors", test_vectors},
    {"wide_vectors", test_wide_vectors},
    {"errors", test_errors},
    {"wide_errors", test_wide_errors},
    {"keys", test_keys},
    {"key_pair", test_key_pair},
    {"split_key", test_split_key},
    {"entropy", test_entropy},
    {"states", test_states},
    {"roots", test_roots},
    {"hygiene", test_hygiene},
#ifndef __wasm__ /* whose call stack is not in memory */
    {"traces", test_traces},
#endif
    {"faults", test_faults},
    {"ciphertext_vectors", test_ciphertext_vectors},
    {"wide_ciphertexts", test_wide_ciphertexts},
    {"encryption", test_encryption},
    {"shapes", test_shapes},
    {"integers", test_integers},
    {"integer_errors", test_integer_errors},
    {"decryption", test_decryption},
    {"decryption_errors", test_decryption_errors},
    {"wide_decryption", test_wide_decryption},
    {"integer_decryption", test_integer_decryption},
    {"wide_integer_decryption", test_wide_integer_decryption},
    {"tfhe_vectors", test_tfhe_vectors},
    {"tfhe_bools", test_tfhe_bools},
    {"tfhe_decryption", test_tfhe_decryption},
    {"tfhe_errors", test_tfhe_errors},
    {"tfhe_hygiene", test_tfhe_hygiene},
    {"tfhe_noise", test_tfhe_noise},
    {"tfhe_products", test_tfhe_products},
#ifndef __wasm__
    {"tfhe_traces", test_tfhe_traces},
#endif
#ifdef ISOPOD_TEST_BOARD /* where the depth of the stack is known */
    {"stack", test_stack},
#endif
#ifdef ISOPOD_TEST_HOST
    {"encode_bound", test_encode_bound},
    {"entropy_port", test_entropy_port},
#endif
    {"abandoned_frame", test_abandoned_frame},
};

static int is_chosen(const char *name, int argc, char **argv) {
    int chosen = argc <= 1;
    for (int i = 1; i < argc; i++) {
        chosen |= fixture_is_text(argv[i], name);
    }
    return chosen;
}

int main(int argc, char **argv) {
    uint32_t run = 0;
    for (uint32_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        if (is_chosen(groups[g].name, argc, argv)) {
            check_group(groups[g].name);
            check_memory_reset();
            groups[g].run();
            run++;
        }
    }
    check_group("all");
    CHECK(run == (uint32_t)(argc > 1 ? argc - 1 : (int)(sizeof groups / sizeof groups[0])));
    return check_summary() == 0 ? 0 : 1;
}
