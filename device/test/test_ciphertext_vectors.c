/* Known answers of the independent model: keys, blobs, ciphertexts and whole authenticated frames,
 * for every set, kind of blob and suite. Plain and seeded public keys, and ternary and NTT secret
 * keys, must give the same bytes; so must any number of chunks, up to the order of slices, and any
 * size of pieces. */
#include "../src/keccak.h"
#include "check.h"
#include "tests.h"
#include "vector_input.h"
#include "vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static uint32_t wire_kind(const fixture *set) {
    return set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 1 : 2;
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
            CHECK(fixture_is_hex((uint8_t *)set->blob + 24, 16, isopod_vectors_keys[r].key_id));
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

/* The known source of randomness, with the scale and bound of a record. */
static void configure(fixture *set, uint32_t suite, uint8_t chunks, const uint8_t *hedge) {
    fixture_configure(set, vector_suite(suite), chunks);
    set->entropy.hedge = hedge;
    set->entropy.counter = 7;
}

static void set_precision(fixture *set, uint32_t log2_scale, uint32_t log2_bound) {
    set->config.log2_scale = (uint8_t)log2_scale;
    set->config.log2_bound = (int8_t)log2_bound;
    fixture_workspace(set);
}

static void take_prime(isopod_ckks *context, uint8_t *packed, size_t bytes) {
    size_t taken = 0, length = 1;
    while (taken < bytes && isopod_ckks_next(context, packed + taken, 4096, &length) == ISOPOD_OK) {
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

static void check_prime(const fixture *set, isopod_ckks *context, received *received,
                        const struct isopod_vector_encryption *vector) {
    uint8_t prime = (uint8_t)vector->prime;
    size_t bytes =
        (size_t)(wire_kind(set) == 1 ? 2 : 1) * set->n / 8 * set->params->primes[prime].bits;
    take_prime(context, received->packed, bytes);
    (void)fixture_unpack(set, prime, received->packed, received->c0, received->c1);
    if (wire_kind(set) == 2) {
        isopod_mask_expand(received->c1, set->config.suite, received->mask_seed, set->params, prime,
                           &received->refill);
    }
    CHECK(fixture_has_digest(received->c0, (size_t)4 * set->n, vector->c0_sha3));
    CHECK(fixture_has_digest(received->c1, (size_t)4 * set->n, vector->c1_sha3));
}

/* first: the record of prime 0; those of the other primes follow it. */
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
    CHECK(isopod_ckks_begin(&context, &set->config, &values) == ISOPOD_OK);
    for (size_t i = 0; i < sizeof received.mask_seed; i++) {
        received.mask_seed[i] = context.mask_seed[i];
    }
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        check_prime(set, &context, &received, first + j);
    }
    CHECK(isopod_ckks_next(&context, received.packed, 1, &length) == ISOPOD_DONE);
}

static void check_encryptions(fixture *set, const uint8_t *hedge) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_encryption); r++) {
        const struct isopod_vector_encryption *vector = &isopod_vectors_encryption[r];
        if (vector->prime == 0 && vector->kind == wire_kind(set) &&
            fixture_is_text(vector->set, set->params->name)) {
            size_t mark = check_memory_mark();
            check_case(vector->set, r);
            configure(set, vector->suite, (uint8_t)(1u << (dial++ % 4)), hedge);
            check_encryption(set, vector);
            check_memory_release(mark);
        }
    }
}

static void absorb_frame(isopod_frame *frame, isopod_keccak *sponge, uint32_t *bytes) {
    static const uint16_t capacities[6] = {1, 7, 64, 4096, 3, 1000};
    uint8_t piece_bytes[4096];
    isopod_piece piece;
    isopod_status status;
    uint32_t turn = 0, part_bytes = 0;
    while ((status = isopod_frame_next(frame, piece_bytes, capacities[turn++ % 6], &piece)) ==
           ISOPOD_OK) {
        part_bytes += (uint32_t)piece.length;
        isopod_keccak_absorb(sponge, piece_bytes, piece.length);
        *bytes += (uint32_t)piece.length;
        if (turn % 64 == 0 && !piece.part_complete) {
            CHECK(isopod_frame_part_bytes(frame) > part_bytes);
        }
        part_bytes = piece.part_complete ? 0 : part_bytes;
    }
    CHECK(status == ISOPOD_DONE);
}

static void check_frame(fixture *set, const struct isopod_vector_frames *vector) {
    uint8_t device_key[32], digest[32];
    isopod_identity identity = {1001, 3, device_key};
    isopod_values values = vector_values("f32", vector->pattern, set->n, vector->log2_bound);
    isopod_ckks context;
    isopod_frame frame;
    isopod_keccak sponge;
    uint32_t bytes = 0;
    fixture_from_hex(device_key, isopod_vectors_device_keys[1].key);
    set_precision(set, vector->log2_scale, vector->log2_bound);
    CHECK(isopod_ckks_begin(&context, &set->config, &values) == ISOPOD_OK);
    CHECK(isopod_frame_begin(&frame, &context, &identity, 42) == ISOPOD_OK);
    isopod_keccak_start(&sponge);
    absorb_frame(&frame, &sponge, &bytes);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    CHECK(values.count == vector->count);
    CHECK(bytes == vector->bytes);
    CHECK(fixture_is_hex(digest, sizeof digest, vector->sha3));
}

/* Under a public key the number of chunks is the interleave; under a secret key it must not show.
 */
static void check_frames(fixture *set, const uint8_t *hedge) {
    uint8_t dial = (uint8_t)set->key.kind;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_frames); r++) {
        const struct isopod_vector_frames *vector = &isopod_vectors_frames[r];
        if (vector->kind == wire_kind(set) && fixture_is_text(vector->set, set->params->name)) {
            size_t mark = check_memory_mark();
            uint32_t chunks = vector->kind == 1 ? vector->interleave : 1u << (dial++ % 4);
            check_case(vector->set, r);
            configure(set, vector->suite, (uint8_t)chunks, hedge);
            check_frame(set, vector);
            check_memory_release(mark);
        }
    }
}

void test_ciphertext_vectors(void) {
    uint8_t hedge[32];
    fixture_bytes(hedge, 0x40, sizeof hedge);
    for (uint32_t s = 0; s < ISOPOD_CKKS_SET_COUNT; s++) {
        for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
            fixture set;
            check_memory_reset();
            check_case(isopod_ckks_sets[s]->name, kind);
            fixture_open(&set, isopod_ckks_sets[s], (isopod_key_kind)kind);
            check_key(&set);
            check_encryptions(&set, hedge);
            check_frames(&set, hedge);
        }
    }
}
