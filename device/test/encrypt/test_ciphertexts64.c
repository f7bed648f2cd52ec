/* Known answers of sets of 64-bit primes, of real numbers and of integers. */
#define ISOPOD_WORD_BITS 64
#include "test_ciphertext_vectors.c"

static void check_integers(fixture *set) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_bfv_frames64); r++) {
        const struct isopod_vector_bfv_frames64 *vector = &isopod_vectors_bfv_frames64[r];
        if (vector->kind == vector_kind(set) && is_of(set, vector->set)) {
            size_t mark = check_memory_mark();
            uint32_t chunks = vector->kind == 3 ? vector->interleave : 1u << (dial++ % 4);
            isopod_values values =
                vector_integers(vector->numbers, vector->count, set->params->plain->modulus);
            check_case(vector->set, r);
            vector_configure(set, vector->suite, (uint8_t)chunks);
            set->config.level = (uint8_t)vector->level;
            fixture_layout(set, vector->layout);
            vector_check_frame(set, &values, vector->bytes, vector->sha3);
            check_memory_release(mark);
        }
    }
}

void test_ciphertexts64(void) {
    for (uint32_t s = 0; s < ISOPOD64_SET_COUNT; s++) {
        check_set(isopod64_sets[s], check_integers);
    }
}
