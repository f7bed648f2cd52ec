/* Known answers of the independent model: keys, blobs, ciphertexts and whole authenticated frames,
 * for every set, kind of blob and suite. Plain and seeded public keys, and ternary and NTT secret
 * keys, must give the same bytes; so must any number of chunks, up to the order of slices, and any
 * size of pieces. */
#include "../../src/random/keccak.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* Larger degrees and suites but this one are left out on slow processors. */
#ifndef ISOPOD_TEST_LARGEST_DEGREE
#define ISOPOD_TEST_LARGEST_DEGREE 32768u
#endif
#ifndef ISOPOD_TEST_SUITE
#define ISOPOD_TEST_SUITE 0u
#endif

static int is_chosen(uint32_t suite) {
    return ISOPOD_TEST_SUITE == 0 || suite == ISOPOD_TEST_SUITE;
}

static void check_secret(const fixture *set, const struct isopod_vector_keys *vector) {
    int8_t *coefficients = check_memory(set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        coefficients[i] = (int8_t)((int32_t)(set->ternary[i / 16] >> (2 * (i % 16)) & 3u) - 1);
    }
    CHECK(fixture_has_digest(coefficients, set->n, vector->secret_sha3));
}

static void check_key(const fixture *set) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_keys); r++) {
        if (fixture_is_text(isopod_vectors_keys[r].set, set->params->name)) {
            CHECK(fixture_is_hex((uint8_t *)set->blob + ISOPOD_KEY_OFFSET_KEY_ID, 16,
                                 isopod_vectors_keys[r].key_id));
            check_secret(set, &isopod_vectors_keys[r]);
        }
    }
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_blobs); r++) {
        const struct isopod_vector_blobs *vector = &isopod_vectors_blobs[r];
        if (fixture_is_text(vector->set, set->params->name) && vector->blob_kind == set->key.kind) {
            CHECK(set->blob_bytes == vector->bytes);
            CHECK(fixture_has_digest(set->blob, set->blob_bytes, vector->sha3));
        }
    }
}

static void set_precision(fixture *set, uint32_t log2_scale, uint32_t log2_bound) {
    set->config.log2_scale = (uint8_t)log2_scale;
    set->config.log2_bound = (int8_t)log2_bound;
    fixture_workspace(set);
}

static void take_prime(isopod_encryption *context, uint8_t *packed, size_t bytes) {
    size_t taken = 0, length = 1;
    while (taken < bytes &&
           isopod_encryption_next(context, packed + taken, 4096, &length) == ISOPOD_OK) {
        taken += length;
    }
    CHECK(taken == bytes);
}

typedef struct {
    uint8_t *packed;
    uint32_t *c0;
    uint32_t *c1;
    uint8_t mask_seed[ISOPOD_MASK_SEED_MAXIMUM];
    uint32_t refill;
} received;

static void check_prime(const fixture *set, isopod_encryption *context, received *received,
                        const struct isopod_vector_encryption *vector) {
    uint8_t prime = (uint8_t)vector->prime;
    size_t bytes =
        (size_t)(vector_kind(set) == 1 ? 2 : 1) * set->n / 8 * set->params->primes[prime].bits;
    take_prime(context, received->packed, bytes);
    (void)fixture_unpack(set, prime, received->packed, received->c0, received->c1);
    if (vector_kind(set) == 2) {
        isopod_mask_expand(received->c1, set->config.suite, received->mask_seed, set->params, prime,
                           &received->refill);
    }
    CHECK(fixture_has_digest(received->c0, (size_t)4 * set->n, vector->c0_sha3));
    CHECK(fixture_has_digest(received->c1, (size_t)4 * set->n, vector->c1_sha3));
}

/* `first` is the record of prime 0; those of the other primes follow it. */
static void check_encryption(fixture *set, const struct isopod_vector_encryption *first) {
    isopod_ckks context;
    isopod_values values = vector_values("f32", first->pattern, set->n, first->log2_bound);
    received received = {check_memory((size_t)8 * set->n),
                         check_memory((size_t)4 * set->n),
                         check_memory((size_t)4 * set->n),
                         {0},
                         0};
    size_t length;
    set_precision(set, first->log2_scale, first->log2_bound);
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &values) == ISOPOD_OK);
    for (size_t i = 0; i < sizeof received.mask_seed; i++) {
        received.mask_seed[i] = context.mask_seed[i];
    }
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        check_prime(set, &context, &received, first + j);
    }
    CHECK(isopod_ckks_next(&context, received.packed, 1, &length) == ISOPOD_DONE);
}

static void check_encryptions(fixture *set) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_encryption); r++) {
        const struct isopod_vector_encryption *vector = &isopod_vectors_encryption[r];
        if (vector->prime == 0 && vector->kind == vector_kind(set) && is_chosen(vector->suite) &&
            fixture_is_text(vector->set, set->params->name)) {
            size_t mark = check_memory_mark();
            check_case(vector->set, r);
            uint32_t chunks = vector_kind(set) == 1 ? 1u : 1u << (dial++ % 4);
            vector_configure(set, vector->suite, (uint8_t)chunks);
            check_encryption(set, vector);
            check_memory_release(mark);
        }
    }
}

static void check_frame(fixture *set, const struct isopod_vector_frames *vector) {
    isopod_values values = vector_values("f32", vector->pattern, set->n, vector->log2_bound);
    CHECK(values.count == vector->count);
    set_precision(set, vector->log2_scale, vector->log2_bound);
    vector_check_frame(set, &values, vector->bytes, vector->sha3);
}

/* The number of chunks is the interleave under a public key; under a secret key it changes nothing.
 */
static void check_frames(fixture *set) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_frames); r++) {
        const struct isopod_vector_frames *vector = &isopod_vectors_frames[r];
        if (vector->kind == vector_kind(set) && is_chosen(vector->suite) &&
            fixture_is_text(vector->set, set->params->name)) {
            size_t mark = check_memory_mark();
            uint32_t chunks = vector->kind == 1 ? vector->interleave : 1u << (dial++ % 4);
            check_case(vector->set, r);
            vector_configure(set, vector->suite, (uint8_t)chunks);
            check_frame(set, vector);
            check_memory_release(mark);
        }
    }
}

void test_ciphertext_vectors(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT + ISOPOD_BFV_SET_COUNT; s++) {
        const isopod_params *params = vector_set_at(s);
        if (1u << params->log2_ring_degree > ISOPOD_TEST_LARGEST_DEGREE) {
            continue;
        }
        for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
            fixture set;
            check_memory_reset();
            check_case(params->name, kind);
            fixture_open(&set, params, (isopod_key_kind)kind);
            check_key(&set);
            check_encryptions(&set);
            check_frames(&set);
        }
    }
}
