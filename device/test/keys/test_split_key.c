/* Public keys in one blob per prime give the bytes of the whole key, with one load per prime in
 * order; a bad load ends the encryption and leaves nothing in memory. */
#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/key_calls.h"
#include "isopod/split_key.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define MOST_PRIMES 6u

/* Blobs of all primes, and the mistake that the loader is to make. */
typedef struct {
    const uint32_t *blobs[MOST_PRIMES];
    uint32_t loads;
    uint32_t brings; /* from then on this prime's blob in place of the requested one; 0 for none */
    uint32_t fails;  /* the load that goes wrong, counted from 1 */
} store;

static int load(void *state, uint8_t prime, void *blob, size_t bytes) {
    store *from = state;
    uint32_t chosen = from->brings != 0 && prime != 0 ? from->brings : prime;
    isopod_copy(blob, (const uint8_t *)from->blobs[chosen], bytes);
    return ++from->loads == from->fails;
}

static uint32_t word_words(const fixture *set) {
    return set->params->primes64 != NULL ? 2 : 1;
}

static uint32_t is_seeded(const fixture *set) {
    return set->key.kind == ISOPOD_KEY_PUBLIC_SEEDED;
}

static size_t blob_bytes(const fixture *set) {
    return word_words(set) == 2
               ? ISOPOD64_SPLIT_KEY_BYTES(set->n, set->params->prime_count, is_seeded(set))
               : ISOPOD_SPLIT_KEY_BYTES(set->n, set->params->prime_count, is_seeded(set));
}

/* Header and seed in front of the residues of a whole blob, in words. */
#define START (ISOPOD_KEY_HEADER_BYTES / 4u + ISOPOD_MASK_SEED_BYTES / 4u)

/* Words of one prime's residues. */
static uint32_t prime_words(const fixture *set) {
    return set->n * word_words(set) * (is_seeded(set) ? 1u : 2u);
}

static void digest_of(const fixture *set, uint32_t prime, uint8_t digest[ISOPOD_DIGEST_BYTES]) {
    const uint32_t *residues = set->blob + START + (size_t)prime_words(set) * prime;
    key_calls_of(set->params)->digest(digest, set->params, residues, prime);
}

/* Cuts one prime's part from the whole blob. */
static uint32_t *cut(const fixture *set, uint32_t prime) {
    uint32_t words = prime_words(set), primes = set->params->prime_count, digests = 8u * primes;
    uint32_t *blob = check_memory(blob_bytes(set));
    const uint32_t *from = set->blob + START + (size_t)words * prime;
    isopod_copy((uint8_t *)blob, (const uint8_t *)set->blob, 4u * START);
    for (uint32_t j = 0; j < primes; j++) {
        digest_of(set, j, (uint8_t *)(blob + START + 8u * j));
    }
    isopod_copy((uint8_t *)(blob + START + digests), (const uint8_t *)from, 4u * words);
    blob[ISOPOD_KEY_WORD_KIND] += 32u;
    blob[ISOPOD_KEY_WORD_PRIMES] |= prime << ISOPOD_KEY_PRIME_SHIFT;
    blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] = 4u * (8u + digests + words);
    fixture_seal_blob(blob);
    return blob;
}

/* Compares the blob with the model's, if it has one. */
static void check_blob(const fixture *set, const uint32_t *blob) {
    for (uint32_t r = 0; r < sizeof isopod_vectors_split_blobs / sizeof *isopod_vectors_split_blobs;
         r++) {
        const struct isopod_vector_split_blobs *vector = &isopod_vectors_split_blobs[r];
        if (fixture_is_text(vector->set, set->params->name) &&
            vector->blob_kind == blob[ISOPOD_KEY_WORD_KIND] &&
            vector->prime == blob[ISOPOD_KEY_WORD_PRIMES] >> ISOPOD_KEY_PRIME_SHIFT) {
            CHECK(vector->bytes == blob_bytes(set));
            CHECK(fixture_has_digest(blob, blob_bytes(set), vector->sha3));
        }
    }
}

static store cut_all(const fixture *set) {
    store from = {{NULL}, 0, 0, 0};
    for (uint32_t j = 0; j < set->params->prime_count; j++) {
        from.blobs[j] = cut(set, j);
        check_blob(set, from.blobs[j]);
    }
    return from;
}

static isopod_status open_split(const fixture *set, isopod_split_key *split,
                                const isopod_key_loader *loader) {
    return word_words(set) == 2 ? isopod64_split_key_open(split, set->params, loader)
                                : isopod_split_key_open(split, set->params, loader);
}

static isopod_key_loader loader_of(const fixture *set, store *from) {
    isopod_key_loader loader = {load, from, check_memory(blob_bytes(set)), blob_bytes(set)};
    return loader;
}

static size_t packed_bytes(const fixture *set, uint32_t level) {
    size_t bits = 0;
    for (uint32_t j = 0; j < level; j++) {
        bits += isopod_parameters_bits(set->params, j);
    }
    return bits * set->n / 8 * 2;
}

static isopod_values values_of(const fixture *set) {
    static const int32_t integers[4] = {1, -2, 3, -4};
    static const float numbers[4] = {0.5f, -0.25f, 1.0f, 0.0f};
    isopod_values values = {numbers, 4, ISOPOD_VALUES_FLOAT32};
    if (set->params->plain != NULL) {
        values.data = integers;
        values.type = ISOPOD_VALUES_INT32;
    }
    return values;
}

/* The bytes of an encryption under a fresh configuration with this key. */
static uint8_t *encrypted(fixture *set, const isopod_key *key, uint8_t chunks, uint8_t level) {
    size_t bytes = packed_bytes(set, level);
    uint8_t *out = check_memory(bytes);
    isopod_values values = values_of(set);
    fixture_configure(set, &isopod_suite_chacha20, chunks);
    set->config.key = key;
    set->config.level = level;
    if (set->params->plain == NULL) {
        set->config.log2_scale = 20;
        set->config.log2_bound = 0;
    }
    CHECK(fixture_encrypt(set, &values, out, 1000) == bytes);
    return out;
}

static void check_same_bytes(fixture *set, const isopod_split_key *split, store *from) {
    for (uint8_t chunks = 1; chunks <= 8; chunks = (uint8_t)(chunks * 2)) {
        size_t mark = check_memory_mark();
        uint8_t level =
            chunks == 4 ? (uint8_t)(set->params->prime_count - 1u) : set->params->prime_count;
        check_case("chunks", chunks);
        const uint8_t *whole = encrypted(set, &set->key, chunks, level);
        from->loads = 0;
        const uint8_t *split_up = encrypted(set, &split->key, chunks, level);
        CHECK(isopod_equal(whole, split_up, packed_bytes(set, level)));
        CHECK(from->loads == level);
        check_memory_release(mark);
    }
}

static uint32_t is_zero(const void *memory, size_t length) {
    const uint8_t *bytes = memory;
    uint32_t any = 0;
    for (size_t i = 0; i < length; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

/* Encrypts until the end or the first error. */
static isopod_status run(const fixture *set, isopod_encryption *context, uint32_t *pieces) {
    isopod_values values = values_of(set);
    uint8_t out[512];
    size_t length;
    isopod_status status = fixture_begin(set, context, &values);
    for (*pieces = 0; status == ISOPOD_OK; *pieces += status == ISOPOD_OK) {
        status = isopod_encryption_next(context, out, sizeof out, &length);
    }
    CHECK(length == 0);
    return status;
}

/* Checks that the encryption ends with `expected` after the bytes of the first prime, that only the
 * header stays in memory, and that the next encryption succeeds. */
static void expect_end(fixture *set, const isopod_split_key *split, isopod_status expected) {
    const isopod_key_loader *loader = &split->loader;
    isopod_encryption context;
    uint32_t pieces;
    uint8_t out[16];
    size_t length;
    CHECK(run(set, &context, &pieces) == expected);
    CHECK(pieces >= packed_bytes(set, 1) / 512);
    CHECK(is_zero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes));
    CHECK(is_zero(&context, sizeof context));
    CHECK(is_zero(loader->blob + 10, loader->bytes - 40));
    CHECK(isopod_equal((const uint8_t *)loader->blob, split->header, 40));
    CHECK(isopod_encryption_next(&context, out, sizeof out, &length) == ISOPOD_ERROR_STATE);
}

/* Changes one word of a blob and seals it anew under the same key_id: a part of a key that the
 * forger chose must not pass for one of this pair. */
static void check_forgeries(fixture *set, const isopod_split_key *split, uint32_t *blob) {
    uint32_t primes = set->params->prime_count, residues = START + 8u * primes;
    const uint32_t places[5] = {START - 8u,         /* seed */
                                START,              /* digest of the first prime */
                                START + 8u,         /* digest of this one */
                                residues + 5u * 2u, /* pk0 */
                                residues + set->n * word_words(set) + 5u * 2u}; /* pk1 */
    for (uint32_t i = 0; i < (is_seeded(set) ? 4u : 5u); i++) {
        uint32_t kept = blob[places[i]];
        check_case("forged", i);
        blob[places[i]] ^= 1u;
        fixture_seal_blob(blob);
        expect_end(set, split, ISOPOD_ERROR_KEY_LOAD);
        blob[places[i]] = kept;
    }
    fixture_seal_blob(blob);
}

static void check_bad_loads(fixture *set, const isopod_split_key *split, store *from) {
    uint8_t last = set->params->prime_count;
    const uint8_t *expected = encrypted(set, &split->key, 1, last);
    uint32_t *blob = (uint32_t *)(void *)(uintptr_t)from->blobs[1];
    check_case("loader fails", 0);
    from->loads = 0;
    from->fails = 2;
    expect_end(set, split, ISOPOD_ERROR_KEY_LOAD);
    from->fails = 0;
    check_case("another prime", 0);
    from->brings = last > 2 ? 2 : MOST_PRIMES - 1;
    from->blobs[MOST_PRIMES - 1] = from->blobs[0];
    expect_end(set, split, ISOPOD_ERROR_KEY_LOAD);
    from->brings = 0;
    check_case("damaged", 0);
    blob[100] ^= 4u;
    expect_end(set, split, ISOPOD_ERROR_KEY_FORMAT);
    blob[100] ^= 4u;
    check_case("another pair", 0);
    blob[6] ^= 1u;
    fixture_seal_blob(blob);
    expect_end(set, split, ISOPOD_ERROR_KEY_LOAD);
    blob[6] ^= 1u;
    check_forgeries(set, split, blob);
    check_case("residue", 0);
    blob[100] = blob[101] = 0xffffffffu;
    fixture_seal_blob(blob);
    expect_end(set, split, ISOPOD_ERROR_KEY_FORMAT);
    from->blobs[1] = cut(set, 1);
    check_case("afterwards", 0);
    CHECK(isopod_equal(expected, encrypted(set, &split->key, 1, last), packed_bytes(set, last)));
}

static void expect_refusal(const fixture *set, const isopod_key_loader *loader,
                           isopod_status expected) {
    isopod_split_key split;
    CHECK(open_split(set, &split, loader) == expected);
    CHECK(is_zero(&split, sizeof split));
    CHECK(is_zero(loader->blob, loader->bytes));
}

static void check_opening(fixture *set, store *from) {
    isopod_key_loader loader = loader_of(set, from);
    uint32_t *blob = (uint32_t *)(void *)(uintptr_t)from->blobs[0];
    check_case("opening", 0);
    from->loads = 0;
    from->fails = 1;
    expect_refusal(set, &loader, ISOPOD_ERROR_KEY_LOAD);
    from->fails = 0;
    loader.bytes -= 4;
    expect_refusal(set, &loader, ISOPOD_ERROR_KEY_FORMAT);
    loader.bytes += 4;
    from->blobs[0] = from->blobs[1];
    expect_refusal(set, &loader, ISOPOD_ERROR_KEY_LOAD);
    from->blobs[0] = blob;
    blob[ISOPOD_KEY_WORD_PRIMES] += 0x10000u * set->params->prime_count;
    fixture_seal_blob(blob);
    expect_refusal(set, &loader, ISOPOD_ERROR_KEY_FORMAT);
    blob[ISOPOD_KEY_WORD_PRIMES] = set->params->prime_count;
    blob[4] ^= 1u;
    expect_refusal(set, &loader, ISOPOD_ERROR_KEY_SET);
    blob[4] ^= 1u;
    fixture_seal_blob(blob);
}

/* Checks that whole blobs and split ones do not pass for each other. */
static void check_kinds(void) {
    fixture set;
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    store from = cut_all(&set);
    isopod_key_loader loader = loader_of(&set, &from);
    isopod_key key;
    check_case("kinds", 0);
    CHECK(isopod_public_key_open(&key, set.params, from.blobs[0], blob_bytes(&set)) ==
          ISOPOD_ERROR_KEY_KIND);
    CHECK(isopod_secret_key_open(&key, set.params, from.blobs[0], blob_bytes(&set)) ==
          ISOPOD_ERROR_KEY_KIND);
    from.blobs[0] = set.blob; /* shorter than a split one by its digest */
    loader.bytes = set.blob_bytes;
    expect_refusal(&set, &loader, ISOPOD_ERROR_KEY_KIND);
}

static void check_set(const isopod_params *params, isopod_key_kind kind) {
    fixture set;
    isopod_split_key split;
    check_memory_reset();
    fixture_open(&set, params, kind);
    store from = cut_all(&set);
    isopod_key_loader loader = loader_of(&set, &from);
    CHECK(open_split(&set, &split, &loader) == ISOPOD_OK);
    CHECK(from.loads == 1);
    check_same_bytes(&set, &split, &from);
    check_bad_loads(&set, &split, &from);
    check_opening(&set, &from);
}

/* Checks that the second computation of the fault check loads nothing again. */
static void check_fault_check(void) {
    fixture set;
    isopod_split_key split;
    isopod_encryption context;
    uint32_t pieces;
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_4096x2_linear, ISOPOD_KEY_PUBLIC_SEEDED);
    store from = cut_all(&set);
    isopod_key_loader loader = loader_of(&set, &from);
    CHECK(open_split(&set, &split, &loader) == ISOPOD_OK);
    fixture_configure(&set, &isopod_suite_chacha20, 4);
    set.config.key = &split.key;
    set.config.fault_check = &isopod_compute_twice;
    from.loads = 0;
    CHECK(run(&set, &context, &pieces) == ISOPOD_DONE);
    CHECK(from.loads == 2);
}

void test_split_key(void) {
    check_kinds();
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_PUBLIC_SEEDED; kind++) {
        check_set(&isopod_ckks_4096x2_linear, (isopod_key_kind)kind);
        check_set(&isopod_bfv_4096x3_sum, (isopod_key_kind)kind);
    }
    check_set(&isopod_ckks_8192x3w_sum, ISOPOD_KEY_PUBLIC_SEEDED);
    check_fault_check();
}
