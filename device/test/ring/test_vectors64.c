/* Known answers of masks and transforms modulo 64-bit primes, in every number of chunks, with
 * tables for every backend and for none. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#define ISOPOD_WORD_BITS 64
#include "../../src/ring/pointwise.h"
#include "../../src/ring/polynomial.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static void check_masks(void) {
    uint32_t refill = 0;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_masks64); r++) {
        const struct isopod_vector_masks64 *vector = &isopod_vectors_masks64[r];
        const isopod_params *params = vector_set(vector->set);
        uint32_t n = 1u << params->log2_ring_degree;
        uint8_t seed[ISOPOD_MASK_SEED_MAXIMUM];
        check_memory_reset();
        check_case(vector->set, r);
        uint64_t *mask = check_memory((size_t)8 * n);
        fixture_bytes(seed, (uint8_t)vector->seed_start, sizeof seed);
        refill = vector->prime == 0 ? 0 : refill;
        isopod_mask_expand(mask, vector_suite(vector->suite), seed, params, (uint8_t)vector->prime,
                           &refill);
        CHECK(fixture_has_digest(mask, (size_t)8 * n, vector->sha3));
    }
}

static void load_random(const isopod_polynomial *polynomial, uint32_t first,
                        int64_t out[ISOPOD_FOLD_BLOCK]) {
    const int64_t *words = polynomial->words;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = words[first + i];
    }
}

static const char *digest_of(uint32_t n, uint64_t modulus) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_transforms64); r++) {
        const struct isopod_vector_transforms64 *vector = &isopod_vectors_transforms64[r];
        if (vector->ring_degree == n && vector->modulus == modulus) {
            return vector->sha3;
        }
    }
    return "";
}

static void check_chunks(const fixture *set, uint8_t j, const int64_t *input, int64_t *out) {
    const isopod_prime64 *prime = &set->params->primes64[j];
    isopod_polynomial polynomial = {load_random, input, NULL, prime, set->n, 0};
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        check_case(set->params->name, 10u * j + chunks);
        for (uint8_t c = 0; c < chunks; c++) {
            isopod_ntt ntt = isopod_ntt_of(set->params, &set->tables, j);
            ntt.length /= chunks;
            ntt.chunks = chunks;
            ntt.chunk = c;
            isopod_polynomial_ntt(out + c * ntt.length, &polynomial, &ntt);
        }
        isopod_canonical_all(out, set->n, prime);
        CHECK(fixture_has_digest(out, (size_t)8 * set->n, digest_of(set->n, prime->modulus)));
    }
}

static void check_set(const isopod_params *params) {
    fixture set;
    check_memory_reset();
    fixture_tables(&set, params);
    int64_t *input = check_memory((size_t)8 * set.n), *out = check_memory((size_t)8 * set.n);
    uint32_t state = VECTOR_FIRST;
    for (uint32_t i = 0; i < set.n; i++) {
        int64_t high = (int64_t)(vector_next(&state) >> 1) - ((int64_t)1 << 30);
        input[i] = high * ((int64_t)1 << 32) + vector_next(&state);
    }
    for (uint8_t j = 0; j < params->prime_count; j = fixture_next_prime(params, j)) {
        check_chunks(&set, j, input, out);
        const int64_t *const *backend = set.tables.backend64;
        set.tables.backend64 = NULL;
        check_chunks(&set, j, input, out);
        set.tables.backend64 = backend;
    }
}

void test_vectors64(void) {
    check_masks();
    for (uint32_t s = 0; s < ISOPOD64_SET_COUNT; s++) {
        if (fixture_fits(isopod64_sets[s])) {
            check_set(isopod64_sets[s]);
        }
    }
}
