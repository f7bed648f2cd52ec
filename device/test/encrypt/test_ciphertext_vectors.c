/* Known answers of the independent model: keys, blobs, ciphertexts and whole authenticated frames,
 * for every set, kind of blob and suite. Plain and seeded public keys, and ternary and NTT secret
 * keys, must give the same bytes; so must any number of chunks, up to the order of slices, and any
 * size of pieces. test_ciphertexts64.c includes this file for sets of 64-bit primes. */
#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../../src/base/word.h"
#include "../../src/ring/pointwise.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

#if ISOPOD_WORD_BITS == 32
#define RECORD(list) struct isopod_vector_##list
#define RECORDS(list) isopod_vectors_##list
#else
#define RECORD(list) struct isopod_vector_##list##64
#define RECORDS(list) isopod_vectors_##list##64
#endif

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

static int is_of(const fixture *set, const char *name) {
    return fixture_is_text(set->params->name, name);
}

static void check_secret(const fixture *set, const RECORD(keys) * vector) {
    int8_t *coefficients = check_memory(set->n);
    for (uint32_t i = 0; i < set->n; i++) {
        coefficients[i] = (int8_t)((int32_t)(set->ternary[i / 16] >> (2 * (i % 16)) & 3u) - 1);
    }
    CHECK(fixture_has_digest(coefficients, set->n, vector->secret_sha3));
}

static void check_key(const fixture *set) {
    for (uint32_t r = 0; r < LENGTH(RECORDS(keys)); r++) {
        const RECORD(keys) *vector = &RECORDS(keys)[r];
        if (is_of(set, vector->set)) {
            CHECK(fixture_is_hex((uint8_t *)set->blob + ISOPOD_KEY_OFFSET_KEY_ID, 16,
                                 vector->key_id));
            check_secret(set, vector);
        }
    }
    for (uint32_t r = 0; r < LENGTH(RECORDS(blobs)); r++) {
        const RECORD(blobs) *vector = &RECORDS(blobs)[r];
        if (is_of(set, vector->set) && vector->blob_kind == set->key.kind) {
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

static uint64_t residue_at(const uint8_t *packed, uint32_t bits, uint32_t index) {
    uint32_t first = bits * index;
    uint64_t low = isopod_load64(packed + first / 8), high = packed[first / 8 + 8];
    uint32_t shift = first % 8;
    return (low >> shift | high << 1 << (63u - shift)) & (((uint64_t)1 << bits) - 1u);
}

typedef struct {
    uint8_t *packed;
    isopod_residue *c0;
    isopod_residue *c1;
    uint8_t mask_seed[ISOPOD_MASK_SEED_MAXIMUM];
    uint32_t refill;
} received;

static void unpack(const fixture *set, uint32_t bits, uint32_t is_public, received *received) {
    uint32_t slice = is_public ? set->n / set->config.chunks : set->n;
    const uint8_t *packed = received->packed;
    for (uint32_t first = 0; first < set->n; first += slice) {
        for (uint32_t i = 0; i < slice; i++) {
            received->c0[first + i] = (isopod_residue)residue_at(packed, bits, i);
            received->c1[first + i] =
                is_public ? (isopod_residue)residue_at(packed + slice / 8 * bits, bits, i) : 0;
        }
        packed += (size_t)slice / 8 * bits * (is_public ? 2 : 1);
    }
}

static void check_prime(const fixture *set, isopod_encryption *context, received *received,
                        const RECORD(encryption) * vector) {
    uint8_t prime = (uint8_t)vector->prime;
    uint32_t bits = isopod_parameters_bits(set->params, prime), is_public = vector->kind == 1;
    size_t bytes = (size_t)(is_public ? 2 : 1) * set->n / 8 * bits, taken = 0, length = 1;
    while (taken < bytes &&
           isopod_encryption_next(context, received->packed + taken, 4096, &length) == ISOPOD_OK) {
        taken += length;
    }
    CHECK(taken == bytes);
    unpack(set, bits, is_public, received);
    if (!is_public) {
        isopod_mask_expand(received->c1, set->config.suite, received->mask_seed, set->params, prime,
                           &received->refill);
    }
    CHECK(fixture_has_digest(received->c0, sizeof(isopod_residue) * set->n, vector->c0_sha3));
    CHECK(fixture_has_digest(received->c1, sizeof(isopod_residue) * set->n, vector->c1_sha3));
}

/* `first` is the record of prime 0; those of the other primes follow it. */
static void check_encryption(fixture *set, const RECORD(encryption) * first) {
    isopod_ckks context;
    isopod_values values = vector_values("f32", first->pattern, set->n, first->log2_bound);
    received received = {check_memory(2 * sizeof(isopod_residue) * set->n + 8),
                         check_memory(sizeof(isopod_residue) * set->n),
                         check_memory(sizeof(isopod_residue) * set->n),
                         {0},
                         0};
    size_t length;
    set_precision(set, first->log2_scale, first->log2_bound);
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, &values) == ISOPOD_OK);
    isopod_copy(received.mask_seed, context.mask_seed, sizeof received.mask_seed);
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        check_prime(set, &context, &received, first + j);
    }
    CHECK(isopod_ckks_next(&context, received.packed, 1, &length) == ISOPOD_DONE);
}

static void check_encryptions(fixture *set) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(RECORDS(encryption)); r++) {
        const RECORD(encryption) *vector = &RECORDS(encryption)[r];
        if (vector->prime == 0 && vector->kind == vector_kind(set) && is_chosen(vector->suite) &&
            is_of(set, vector->set)) {
            size_t mark = check_memory_mark();
            check_case(vector->set, r);
            uint32_t chunks = vector_kind(set) == 1 ? 1u : 1u << (dial++ % 4);
            vector_configure(set, vector->suite, (uint8_t)chunks);
            check_encryption(set, vector);
            check_memory_release(mark);
        }
    }
}

static void check_frame(fixture *set, const RECORD(frames) * vector) {
    isopod_values values = vector_values("f32", vector->pattern, set->n, vector->log2_bound);
    CHECK(values.count == vector->count);
    set_precision(set, vector->log2_scale, vector->log2_bound);
    vector_check_frame(set, &values, vector->bytes, vector->sha3);
}

/* The number of chunks is the interleave under a public key; under a secret key it changes nothing.
 */
static void check_frames(fixture *set) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(RECORDS(frames)); r++) {
        const RECORD(frames) *vector = &RECORDS(frames)[r];
        if (vector->kind == vector_kind(set) && is_chosen(vector->suite) &&
            is_of(set, vector->set)) {
            size_t mark = check_memory_mark();
            uint32_t chunks = vector->kind == 1 ? vector->interleave : 1u << (dial++ % 4);
            check_case(vector->set, r);
            vector_configure(set, vector->suite, (uint8_t)chunks);
            check_frame(set, vector);
            check_memory_release(mark);
        }
    }
}

static void check_set(const isopod_params *params, void (*check_more)(fixture *)) {
    if (1u << params->log2_ring_degree > ISOPOD_TEST_LARGEST_DEGREE || !fixture_fits(params)) {
        return;
    }
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        fixture set;
        check_memory_reset();
        check_case(params->name, kind);
        fixture_open(&set, params, (isopod_key_kind)kind);
        check_key(&set);
        check_encryptions(&set);
        check_frames(&set);
        if (check_more != NULL) {
            check_more(&set);
        }
    }
}

#if ISOPOD_WORD_BITS == 32
void test_ciphertext_vectors(void) {
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT + ISOPOD_BFV_SET_COUNT; s++) {
        check_set(vector_set_at(s), NULL);
    }
}
#endif
