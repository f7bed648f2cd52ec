/* Key pairs in pieces: the same blobs, of every kind and for every number of chunks and size of
 * piece, as the prime-by-prime functions give from the same seeds; every error; nothing left
 * behind. */
#include "../src/keccak.h"
#include "../src/memory.h"
#include "check.h"
#include "fixture.h"
#include "isopod/key_pair.h"
#include "tests.h"

typedef struct {
    isopod_key_pair_config config;
    isopod_entropy entropy;
    uint8_t first;
} generator;

static void prepare(generator *with, const fixture *set, uint8_t chunks) {
    size_t bytes = ISOPOD_KEY_PAIR_WORKSPACE(set->n, chunks);
    isopod_entropy entropy = {fixture_fill, &with->first, NULL, 7, {0}, 0};
    isopod_key_pair_config config = {set->params,         &set->tables, &with->entropy,
                                     check_memory(bytes), bytes,        chunks};
    with->first = 3;
    with->entropy = entropy;
    with->config = config;
}

/* The seeds of the source above, by the text of the specification. */
static void expected_seeds(const fixture *set, uint8_t seeds[96]) {
    uint8_t entropy[32], hedge[32] = {0}, counter[8] = {7};
    isopod_keccak sponge;
    fixture_bytes(entropy, 3, sizeof entropy);
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, (const uint8_t *)"isopod-v1-keygen", 16);
    isopod_keccak_absorb(&sponge, entropy, sizeof entropy);
    isopod_keccak_absorb(&sponge, hedge, sizeof hedge);
    isopod_keccak_absorb(&sponge, counter, sizeof counter);
    isopod_keccak_absorb(&sponge, set->params->set_id, 8);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, seeds, 96);
}

static uint32_t payload_bytes(const fixture *set, isopod_key_kind kind) {
    uint32_t polynomials = 4u * set->n * set->params->prime_count;
    return kind == ISOPOD_KEY_PUBLIC           ? 2 * polynomials
           : kind == ISOPOD_KEY_PUBLIC_SEEDED  ? polynomials + 32
           : kind == ISOPOD_KEY_SECRET_TERNARY ? set->n / 4
                                               : polynomials;
}

/* Collects a payload in pieces of up to `capacity` bytes; every byte once. */
static uint32_t *collect(isopod_key_pair *pair, const fixture *set, isopod_key_kind kind,
                         size_t capacity) {
    uint32_t total = payload_bytes(set, kind), written = 0;
    uint8_t *payload = check_memory(ISOPOD_KEY_HEADER_BYTES + total), *at = check_memory(capacity);
    isopod_key_piece piece;
    isopod_status status = isopod_key_pair_payload(pair, kind);
    while (status == ISOPOD_OK) {
        status = isopod_key_pair_next(pair, at, capacity, &piece);
        CHECK_QUIET(piece.length <= capacity && piece.offset + piece.length <= total);
        isopod_copy(payload + ISOPOD_KEY_HEADER_BYTES + piece.offset, at, piece.length);
        written += piece.length;
    }
    CHECK(status == ISOPOD_DONE && written == total);
    return (uint32_t *)(void *)payload;
}

static void check_secret(const fixture *set, const isopod_keygen *keygen, const uint32_t *ternary,
                         const uint32_t *transformed) {
    uint32_t *row = check_memory((size_t)4 * set->n);
    CHECK(isopod_equal((const uint8_t *)ternary, (const uint8_t *)keygen->ternary, set->n / 4));
    for (uint8_t j = 0; j < set->params->prime_count; j++, transformed += set->n) {
        isopod_keygen_secret_ntt(row, keygen, j);
        CHECK(isopod_equal((const uint8_t *)row, (const uint8_t *)transformed, (size_t)4 * set->n));
    }
}

/* In Montgomery form. */
static uint32_t differs(const uint32_t *residues, const uint32_t *stored, const fixture *set,
                        uint8_t prime) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < set->n; i++) {
        wrong += ((uint64_t)residues[i] << 32) % set->params->primes[prime].modulus != stored[i];
    }
    return wrong;
}

static void check_public(const fixture *set, const isopod_keygen *keygen, const uint32_t *plain,
                         const uint32_t *seeded) {
    uint32_t *row = check_memory((size_t)4 * set->n), *scratch = check_memory((size_t)5 * set->n);
    uint32_t refill = 0;
    CHECK(isopod_equal((const uint8_t *)seeded, keygen->mask_seed, 32));
    for (uint8_t j = 0; j < set->params->prime_count; j++, plain += 2 * set->n) {
        isopod_keygen_public(row, keygen, j, scratch);
        CHECK(differs(row, plain, set, j) == 0);
        CHECK(differs(row, seeded + 8 + (size_t)set->n * j, set, j) == 0);
        isopod_mask_expand(row, &isopod_suite_chacha20, keygen->mask_seed, set->params, j, &refill);
        CHECK(differs(row, plain + set->n, set, j) == 0);
    }
}

/* Makes headers and opens the blobs as a device would. */
static void check_blobs(const fixture *set, uint32_t *const blobs[4], const uint8_t *mask_seed) {
    uint8_t key_id[16], same[16];
    isopod_key key;
    CHECK(isopod_key_identify(key_id, set->params, ISOPOD_KEY_PUBLIC, blobs[0] + 20, mask_seed) ==
          ISOPOD_OK);
    CHECK(isopod_key_identify(same, set->params, ISOPOD_KEY_PUBLIC_SEEDED, blobs[1] + 20,
                              mask_seed) == ISOPOD_OK);
    CHECK(isopod_equal(key_id, same, sizeof key_id));
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        uint32_t *blob = blobs[kind - 1];
        size_t bytes = ISOPOD_KEY_HEADER_BYTES + payload_bytes(set, (isopod_key_kind)kind);
        CHECK(isopod_key_header((uint8_t *)blob, set->params, (isopod_key_kind)kind, blob + 20,
                                key_id) == ISOPOD_OK);
        isopod_status status = kind <= ISOPOD_KEY_PUBLIC_SEEDED
                                   ? isopod_public_key_open(&key, set->params, blob, bytes)
                                   : isopod_secret_key_open(&key, set->params, blob, bytes);
        CHECK(status == ISOPOD_OK);
    }
}

static void check_pair(const fixture *set, uint8_t chunks) {
    static const uint16_t capacities[4] = {1000, 4096, 77, 16384};
    uint8_t *seeds = check_memory(96);
    uint32_t *ternary = check_memory(set->n / 4), *blobs[4];
    isopod_key_pair pair;
    generator with;
    prepare(&with, set, chunks);
    expected_seeds(set, seeds);
    isopod_keygen_secret(ternary, set->params, seeds);
    isopod_keygen keygen = {set->params, &set->tables, seeds + 32, seeds + 64, ternary};
    CHECK(isopod_key_pair_begin(&pair, &with.config) == ISOPOD_OK);
    for (uint32_t k = 4; k-- > 0;) {
        blobs[k] = collect(&pair, set, (isopod_key_kind)(k + 1), capacities[k]);
    }
    check_secret(set, &keygen, blobs[2] + 20, blobs[3] + 20);
    check_public(set, &keygen, blobs[0] + 20, blobs[1] + 20);
    check_blobs(set, blobs, pair.mask_seed);
    isopod_key_pair_close(&pair);
    uint32_t left = 0;
    for (size_t i = 0; i < with.config.workspace_bytes; i++) {
        left |= ((const uint8_t *)with.config.workspace)[i];
    }
    CHECK(left == 0);
}

static int failing(void *state, uint8_t *out, size_t length) {
    (void)state, (void)out, (void)length;
    return 1;
}

static void check_errors(const fixture *set) {
    isopod_key_pair pair;
    isopod_key_piece piece;
    generator with;
    uint8_t out[8], key_id[16], seed[32] = {0};
    prepare(&with, set, 4);
    with.config.chunks = 3;
    CHECK(isopod_key_pair_begin(&pair, &with.config) == ISOPOD_ERROR_CHUNKS);
    with.config.chunks = 4;
    with.config.workspace_bytes--;
    CHECK(isopod_key_pair_begin(&pair, &with.config) == ISOPOD_ERROR_WORKSPACE);
    with.config.workspace_bytes++;
    with.entropy.fill = failing;
    CHECK(isopod_key_pair_begin(&pair, &with.config) == ISOPOD_ERROR_ENTROPY);
    with.entropy.fill = fixture_fill;
    CHECK(isopod_key_pair_begin(&pair, &with.config) == ISOPOD_ERROR_ENTROPY); /* poisoned */
    CHECK(isopod_key_pair_payload(&pair, ISOPOD_KEY_PUBLIC) == ISOPOD_ERROR_STATE);
    CHECK(isopod_key_pair_next(&pair, out, sizeof out, &piece) == ISOPOD_ERROR_STATE);
    with.entropy.poisoned = 0;
    CHECK(isopod_key_pair_begin(&pair, &with.config) == ISOPOD_OK);
    CHECK(isopod_key_pair_next(&pair, out, sizeof out, &piece) == ISOPOD_ERROR_STATE);
    CHECK(isopod_key_pair_payload(&pair, (isopod_key_kind)5) == ISOPOD_ERROR_KEY_KIND);
    CHECK(isopod_key_pair_payload(&pair, ISOPOD_KEY_PUBLIC) == ISOPOD_OK);
    CHECK(isopod_key_pair_next(&pair, out, 0, &piece) == ISOPOD_ERROR_CAPACITY);
    CHECK(isopod_key_identify(key_id, set->params, ISOPOD_KEY_SECRET_NTT,
                              (const uint32_t *)with.config.workspace,
                              seed) == ISOPOD_ERROR_KEY_KIND);
    isopod_key_pair_close(&pair);
    isopod_key_pair_close(&pair);
}

void test_key_pair(void) {
    const isopod_ckks_params *sets[3] = {&isopod_ckks_1024x1_sum, &isopod_ckks_4096x3_multiply,
                                         &isopod_ckks_4096x2_linear};
    for (uint32_t s = 0; s < 3; s++) {
        fixture set;
        check_memory_reset();
        fixture_tables(&set, sets[s]);
        size_t mark = check_memory_mark();
        for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
            check_case(sets[s]->name, chunks);
            check_pair(&set, chunks);
            check_memory_release(mark);
        }
        check_errors(&set);
    }
}
