/* Damaged key blobs are refused with their documented errors, and the key stays closed. */
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static int is_closed(const isopod_key *key) {
    const uint8_t *bytes = (const uint8_t *)key;
    uint32_t any = 0;
    for (size_t i = 0; i < sizeof *key; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

static int is_public(const fixture *set) {
    return set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED;
}

static isopod_status open_as(int as_public, const fixture *set, isopod_key *key, size_t bytes) {
    return as_public ? isopod_public_key_open(key, set->params, set->blob, bytes)
                     : isopod_secret_key_open(key, set->params, set->blob, bytes);
}

static void expect(const fixture *set, size_t bytes, isopod_status expected) {
    isopod_key key = set->key;
    CHECK(open_as(is_public(set), set, &key, bytes) == expected);
    CHECK(expected == ISOPOD_OK ? key.kind == set->key.kind : is_closed(&key));
}

static void check_lengths(const fixture *set) {
    const size_t right = set->blob_bytes;
    const size_t lengths[8] = {0, 1, 79, 80, right - 4, right - 1, right + 1, right + 4};
    check_case("length", set->key.kind);
    for (uint32_t i = 0; i < 8; i++) {
        expect(set, lengths[i], ISOPOD_ERROR_KEY_FORMAT);
    }
    expect(set, right, ISOPOD_OK);
}

/* Flips two bits of every byte of the header: the set's bytes then name another set, all others are
 * damage. */
static void check_header(const fixture *set) {
    uint8_t *bytes = (uint8_t *)set->blob;
    for (uint32_t i = 0; i < ISOPOD_KEY_HEADER_BYTES; i++) {
        check_case("header byte", i);
        bytes[i] ^= 1u;
        expect(set, set->blob_bytes,
               i >= 16 && i < 24 ? ISOPOD_ERROR_KEY_SET : ISOPOD_ERROR_KEY_FORMAT);
        bytes[i] ^= 0x81u;
        expect(set, set->blob_bytes,
               i >= 16 && i < 24 ? ISOPOD_ERROR_KEY_SET : ISOPOD_ERROR_KEY_FORMAT);
        bytes[i] ^= 0x80u;
    }
    expect(set, set->blob_bytes, ISOPOD_OK);
}

/* Refuses fields that contradict the set, under a valid digest. */
static void check_fields(const fixture *set) {
    static const uint8_t words[4] = {2, 3, 10, 11}; /* kind, ring degree, primes, payload bytes */
    static const uint32_t changes[3] = {4, 8, 0x80000000u};
    for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t right = set->blob[words[w]];
            check_case("field", words[w]);
            set->blob[words[w]] = right ^ changes[c];
            if (words[w] != 11) {
                fixture_seal_blob(set->blob);
            }
            expect(set, set->blob_bytes, ISOPOD_ERROR_KEY_FORMAT);
            set->blob[words[w]] = right;
        }
    }
    fixture_seal_blob(set->blob);
    expect(set, set->blob_bytes, ISOPOD_OK);
}

static void check_payload_bits(const fixture *set) {
    uint8_t *bytes = (uint8_t *)set->blob;
    for (size_t at = ISOPOD_KEY_HEADER_BYTES; at < set->blob_bytes; at += set->blob_bytes / 50) {
        check_case("payload byte", (uint32_t)at);
        bytes[at] ^= 0x10u;
        expect(set, set->blob_bytes, ISOPOD_ERROR_KEY_FORMAT);
        bytes[at] ^= 0x10u;
    }
    bytes[set->blob_bytes - 1] ^= 1u;
    expect(set, set->blob_bytes, ISOPOD_ERROR_KEY_FORMAT);
    bytes[set->blob_bytes - 1] ^= 1u;
}

static void expect_sealed(const fixture *set, uint32_t *word, uint32_t value,
                          isopod_status expected) {
    uint32_t kept = *word;
    *word = value;
    fixture_seal_blob(set->blob);
    expect(set, set->blob_bytes, expected);
    *word = kept;
}

static void check_residues(const fixture *set, uint32_t q) {
    uint32_t first =
        ISOPOD_KEY_HEADER_BYTES / 4 + (set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 8 : 0);
    uint32_t last = (uint32_t)(set->blob_bytes / 4) - 1;
    const uint32_t places[3] = {first, first + set->n / 2 + 3, last};
    const uint32_t too_large[5] = {q, q + 1, 0x7fffffffu, 0x80000000u, 0xffffffffu};
    for (uint32_t p = 0; p < 3; p++) {
        check_case("residue", places[p]);
        expect_sealed(set, set->blob + places[p], q - 1, ISOPOD_OK);
        for (uint32_t i = 0; i < 5; i++) {
            expect_sealed(set, set->blob + places[p], too_large[i], ISOPOD_ERROR_KEY_FORMAT);
        }
    }
    fixture_seal_blob(set->blob);
}

static void check_symbols(const fixture *set) {
    for (uint32_t i = 0; i < set->n; i += i < 20 ? 1 : 37) {
        uint32_t *word = set->blob + ISOPOD_KEY_HEADER_BYTES / 4 + i / 16;
        check_case("symbol", i);
        expect_sealed(set, word, *word | 3u << (2 * (i % 16)), ISOPOD_ERROR_KEY_FORMAT);
    }
    fixture_seal_blob(set->blob);
    expect(set, set->blob_bytes, ISOPOD_OK);
}

/* Refuses a blob as the other kind of key, and for another set of the same degree. */
static void check_use(const fixture *set) {
    isopod_key key = set->key;
    check_case("kind", set->key.kind);
    CHECK(open_as(!is_public(set), set, &key, set->blob_bytes) == ISOPOD_ERROR_KEY_KIND);
    CHECK(is_closed(&key));
    fixture other = *set;
    other.params = &isopod_ckks_1024x1_seal_embedded;
    expect(&other, set->blob_bytes, ISOPOD_ERROR_KEY_SET);
    other.params = &isopod_ckks_2048x1_sum;
    expect(&other, set->blob_bytes, ISOPOD_ERROR_KEY_SET);
}

typedef struct {
    isopod_ckks_params params;
    isopod_prime prime;
} damaged;

static void fit_constants(isopod_prime *prime, uint32_t q) {
    uint32_t inverse = 1;
    for (uint32_t i = 0; i < 5; i++) {
        inverse *= 2u - q * inverse;
    }
    prime->modulus = q;
    prime->negative_inverse = 0u - inverse;
    prime->barrett = (uint32_t)((((uint64_t)1 << 32) + q / 2) / q);
    for (prime->bits = 0; q >> prime->bits != 0;) {
        prime->bits++;
    }
}

static void damage(damaged *set, uint32_t how) {
    static const uint16_t wrong_primes[4] = {0, 16, 255, 2};
    switch (how) {
    case 0:
        set->prime.negative_inverse += 2;
        break;
    case 1:
        set->prime.barrett++;
        break;
    case 2:
        set->prime.bits++;
        break;
    case 3:
        set->prime.modulus += 2048;
        break;
    case 4:
        fit_constants(&set->prime, (1u << 30) + 2048u * 7 + 1u);
        break; /* not below 2^30 */
    case 5:
        fit_constants(&set->prime, (1u << 20) - 2048u * 3 + 1u);
        break; /* not above 2^20 */
    case 6:
        fit_constants(&set->prime, set->prime.modulus - 1024u);
        break; /* not 1 mod 2n */
    case 7:
        set->prime = isopod_ckks_1024x1_seal_embedded.primes[0];
        break; /* 27 bits are too many for the label */
    case 8:
        set->params.special_prime = 3;
        break; /* 26 + 2 bits are too many */
    case 9:
        set->params.label = 0;
        break;
    case 10:
        set->params.label = 3;
        break;
    case 11:
        set->params.log2_ring_degree = 9;
        break;
    case 12:
        set->params.log2_ring_degree = 15;
        break;
    default:
        set->params.prime_count = (uint8_t)wrong_primes[how - 13];
        break;
    }
}

#define DAMAGES 16u

static void check_damaged(const fixture *set, uint32_t how) {
    damaged bad = {*set->params, set->params->primes[0]};
    fixture wrong = *set;
    isopod_ckks context;
    isopod_ckks_tables tables;
    isopod_values values = {fixture_values(4, 0, 1), 4, ISOPOD_VALUES_FLOAT32};
    size_t bytes = ISOPOD_CKKS_TABLES_BYTES(set->n, 1);
    bad.params.primes = &bad.prime;
    wrong.params = &bad.params;
    expect(&wrong, set->blob_bytes, ISOPOD_OK); /* a faithful copy is the same set */
    damage(&bad, how);
    expect(&wrong, set->blob_bytes, ISOPOD_ERROR_PARAMETERS);
    CHECK(isopod_ckks_tables_build(&tables, &bad.params, check_memory(bytes), bytes) ==
          ISOPOD_ERROR_PARAMETERS);
    wrong.key.params = &bad.params;
    wrong.config.params = &bad.params;
    wrong.config.key = &wrong.key;
    wrong.encryptor.entropy = &wrong.entropy;
    CHECK(isopod_ckks_begin(&context, &wrong.config, &wrong.encryptor, &values) ==
          ISOPOD_ERROR_PARAMETERS);
}

static void check_parameters(fixture *set) {
    for (uint32_t how = 0; how < DAMAGES; how++) {
        size_t mark = check_memory_mark();
        check_case("damaged parameters", how);
        fixture_configure(set, &isopod_suite_chacha20, 1);
        check_damaged(set, how);
        check_memory_release(mark);
    }
}

static void check_table_memory(const fixture *set) {
    size_t bytes = ISOPOD_CKKS_TABLES_BYTES(set->n, 1);
    uint8_t *memory = check_memory(bytes + 8);
    isopod_ckks_tables tables;
    check_case("memory of tables", 0);
    CHECK(isopod_ckks_tables_build(&tables, set->params, NULL, bytes) == ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod_ckks_tables_build(&tables, set->params, memory, bytes - 1) ==
          ISOPOD_ERROR_WORKSPACE);
    CHECK(isopod_ckks_tables_build(&tables, set->params, memory + 4, bytes) ==
          ISOPOD_ERROR_WORKSPACE);
    memory[bytes] = 0x77;
    CHECK(isopod_ckks_tables_build(&tables, set->params, memory, bytes) == ISOPOD_OK);
    CHECK(memory[bytes] == 0x77);
}

void test_keys(void) {
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        fixture set;
        check_memory_reset();
        fixture_open(&set, &isopod_ckks_1024x1_sum, (isopod_key_kind)kind);
        check_lengths(&set);
        check_header(&set);
        check_fields(&set);
        check_payload_bits(&set);
        if (kind == ISOPOD_KEY_SECRET_TERNARY) {
            check_symbols(&set);
        } else {
            check_residues(&set, set.params->primes[0].modulus);
        }
        check_use(&set);
        check_parameters(&set);
        check_table_memory(&set);
    }
}
