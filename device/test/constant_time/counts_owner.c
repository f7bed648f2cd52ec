/* Decryption of random messages under random keys, key pairs of random entropy, and contributions
 * of random shares, in regions. */
#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../../src/holder/share.h"
#include "../harness/check.h"
#include "../holder/holder_input.h"
#include "../harness/key_calls.h"
#include "counter/markers.h"
#include "counts.h"
#include "isopod/decrypt.h"

#define PIECE_BYTES 512u

/* level: primes that a result has left, 0 for all. */
typedef struct {
    const isopod_params *params;
    isopod_key_kind kind;
    const isopod_decoder *decoder;
    int8_t log2_bound;
    isopod_value_type type;
    uint8_t level;
} decryption;

static const decryption decryptions[] = {
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT, &isopod_ckks_decode, 0, ISOPOD_VALUES_FLOAT32,
     0},
    {&isopod_ckks_4096x3_multiply, ISOPOD_KEY_SECRET_TERNARY, &isopod_ckks_decode, 6,
     ISOPOD_VALUES_FLOAT64, 0},
    {&isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_NTT, &isopod_bfv_decode, 0, ISOPOD_VALUES_INT32,
     0},
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_TERNARY, &isopod_ckks_decode_lean, 0,
     ISOPOD_VALUES_INT32, 0},
    {&isopod_ckks_8192x3w_sum, ISOPOD_KEY_SECRET_NTT, &isopod64_ckks_decode, 3,
     ISOPOD_VALUES_FLOAT64, 1},
    {&isopod_bfv_4096x2w_seal_default, ISOPOD_KEY_SECRET_TERNARY, &isopod64_bfv_decode, 0,
     ISOPOD_VALUES_INT32, 1},
};
#define DECRYPTIONS (sizeof decryptions / sizeof decryptions[0])

/* Bytes of one polynomial under a set of as many primes as the result. */
static size_t residue_bytes(const isopod_params *at_level) {
    uint32_t bits = isopod_parameters_data_bits(at_level, at_level->prime_count);
    return (size_t)bits << (at_level->log2_ring_degree - 3u);
}

/* Fields of the prime's width one after the other, lowest bits first (spec/wire.md, section 3). */
static uint8_t *put_fields(uint8_t *at, const uint64_t *residues, uint32_t n, uint32_t bits) {
    for (uint32_t i = 0; i < n * bits; i++) {
        uint64_t bit = residues[i / bits] >> (i % bits) & 1u;
        at[i / 8] = (uint8_t)((i % 8 == 0 ? 0 : at[i / 8]) | bit << (i % 8));
    }
    return at + n * bits / 8;
}

/* The residues of the mask that counts.c gives to every encryption. */
static void expand(uint64_t *row, const isopod_params *at_level, uint8_t prime, uint32_t *refill) {
    uint32_t n = 1u << at_level->log2_ring_degree;
    uint32_t *row32 = (uint32_t *)(void *)row;
    uint8_t seed[64];
    fixture_bytes(seed, 0x30, sizeof seed);
    if (isopod_parameters_has_primes64(at_level)) {
        isopod64_mask_expand(row, &isopod_suite_chacha20, seed, at_level, prime, refill);
        return;
    }
    isopod_mask_expand(row32, &isopod_suite_chacha20, seed, at_level, prime, refill);
    for (uint32_t i = n; i-- > 0;) {
        isopod_store64((uint8_t *)(row + i), row32[i]);
    }
}

/* c1, packed. */
static uint8_t *mask_of(const isopod_params *at_level) {
    uint32_t n = 1u << at_level->log2_ring_degree, refill = 0;
    uint8_t *packed = check_memory(residue_bytes(at_level)), *at = packed;
    uint64_t *row = check_memory((size_t)8 * n);
    for (uint8_t j = 0; j < at_level->prime_count; j++) {
        expand(row, at_level, j, &refill);
        at = put_fields(at, row, n, isopod_parameters_bits(at_level, j));
    }
    return packed;
}

static isopod_workspace workspace_of(const fixture *set, uint32_t primes) {
    uint32_t ternary = set->key.kind == ISOPOD_KEY_SECRET_TERNARY;
    size_t bytes = isopod_parameters_has_primes64(set->params)
                       ? ISOPOD64_DECRYPT_WORKSPACE(set->n, primes, ternary)
                       : ISOPOD_DECRYPT_WORKSPACE(set->n, primes, ternary);
    return (isopod_workspace){check_memory(bytes), bytes};
}

typedef struct {
    const uint8_t *c0, *c1;
    size_t bytes;
} ciphertext;

typedef struct {
    const isopod_decrypt_config *config;
    const isopod_workspace *workspace;
} decryptor;

/* Takes both polynomials in the first region, decodes in the last. */
static void decrypt(const decryptor *by, const isopod_claim *claim, const ciphertext *from,
                    const isopod_decoded *out) {
    static isopod_decrypt context;
    isopod_region_begin();
    isopod_status begun =
        isopod_decrypt_unauthenticated_begin(&context, by->config, by->workspace, claim);
    isopod_status first = isopod_decrypt_unauthenticated_feed(&context, from->c0, from->bytes);
    isopod_status second = isopod_decrypt_unauthenticated_feed(&context, from->c1, from->bytes);
    isopod_region_end();
    CHECK(begun == ISOPOD_OK && first == ISOPOD_OK && second == ISOPOD_OK);
    isopod_region_begin();
    isopod_status finished = isopod_decrypt_unauthenticated_finish(&context, out);
    isopod_region_end();
    CHECK(finished == ISOPOD_OK);
    counts_report();
}

static void prepare(fixture *set, const decryption *profile) {
    fixture_open(set, profile->params, profile->kind);
    fixture_configure(set, &isopod_suite_chacha20, 1);
    set->config.log2_bound = profile->log2_bound;
    set->config.level = profile->level;
    set->entropy.fill = counts_random_fill;
    fixture_workspace(set);
}

static void run_decryption(const decryption *profile, uint32_t trials) {
    fixture set;
    prepare(&set, profile);
    isopod_params at_level = *set.params;
    at_level.prime_count = profile->level != 0 ? profile->level : set.params->prime_count;
    uint32_t is_integer = set.params->plain != NULL, slots = is_integer ? set.n : set.n / 2;
    size_t bytes = residue_bytes(&at_level);
    const isopod_claim claim = {
        (uint64_t)(set.config.log2_scale + 1023) << 52, 0, 1, slots, slots, at_level.prime_count};
    const isopod_decrypt_config config = {.params = set.params,
                                          .tables = &set.tables,
                                          .key = &set.key,
                                          .decoder = profile->decoder,
                                          .log2_bound = set.config.log2_bound,
                                          .layout = ISOPOD_SLOTS};
    const isopod_workspace workspace = workspace_of(&set, at_level.prime_count);
    const decryptor by = {&config, &workspace};
    const isopod_values values = {check_memory((size_t)8 * slots), slots,
                                  is_integer ? ISOPOD_VALUES_UINT32 : ISOPOD_VALUES_FLOAT32};
    const isopod_decoded out = {check_memory((size_t)8 * slots), slots, profile->type};
    uint8_t *packed = check_memory(bytes);
    const ciphertext from = {packed, mask_of(&at_level), bytes};
    for (uint32_t trial = 0; trial < trials; trial++) {
        counts_randomise_key(&set);
        counts_randomise_values(&set, &values);
        CHECK(fixture_encrypt(&set, &values, packed, bytes) == bytes);
        decrypt(&by, &claim, &from, &out);
    }
}

/* Takes the payloads of all kinds. */
static isopod_status take_payloads(const key_calls *calls, isopod_key_pair *pair) {
    static uint8_t out[PIECE_BYTES];
    isopod_key_piece piece;
    isopod_status status = ISOPOD_DONE;
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        status = calls->payload(pair, (isopod_key_kind)kind);
        while (status == ISOPOD_OK) {
            status = calls->next(pair, out, sizeof out, &piece);
        }
    }
    return status;
}

static void run_key_pairs(const isopod_params *params, uint32_t trials) {
    fixture set;
    isopod_key_pair pair;
    fixture_tables(&set, params);
    const key_calls *calls = key_calls_of(params);
    size_t bytes = calls->workspace_bytes(set.n, 4);
    isopod_entropy entropy = {counts_random_fill, NULL, {0}, 0};
    const isopod_workspace workspace = {check_memory(bytes), bytes};
    const isopod_key_pair_config config = {params, &set.tables, 4};
    for (uint32_t trial = 0; trial < trials; trial++) {
        counts_measure();
        isopod_region_begin();
        isopod_status status = calls->begin(&pair, &config, &workspace, &entropy);
        isopod_region_end();
        CHECK(status == ISOPOD_OK);
        isopod_region_begin();
        status = take_payloads(calls, &pair);
        calls->close(&pair);
        isopod_region_end();
        CHECK(status == ISOPOD_DONE);
        counts_report();
    }
}

/* Flash whose first record is the last count. */
static int read_record(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    const uint8_t *record = state;
    for (size_t i = 0; i < length; i++) {
        out[i] = page == 0 && offset == 0 ? record[i] : 0xff;
    }
    return 0;
}

static int write_record(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                        size_t length) {
    (void)page, (void)offset;
    isopod_copy(state, bytes, length);
    return 0;
}

static int erase_none(void *state, uint8_t page) {
    (void)state, (void)page;
    return 0;
}

static int drop(void *state, const uint8_t *bytes, size_t length) {
    (void)state, (void)bytes, (void)length;
    return 0;
}

/* Random residues and keys, and the digest that goes with them. */
static void randomise_share(uint32_t *blob, const fixture *set) {
    isopod_share_head *head = (void *)(blob + ISOPOD_KEY_HEADER_BYTES / 4);
    uint32_t *residues = (void *)(head + 1);
    (void)counts_random_fill(NULL, (uint8_t *)head->link, sizeof head->link);
    (void)counts_random_fill(NULL, (uint8_t *)head->transport, sizeof head->transport);
    for (uint32_t i = 0; i < ISOPOD_HOLDER_PRIMES * set->n; i++) {
        residues[i] = counts_random() % set->params->primes[i / set->n].modulus;
    }
    fixture_seal_blob(blob);
}

/* Opens a share in the first region, contributes in the last. */
static void run_contributions(uint32_t trials) {
    static const uint8_t numbers[] = {1, 3};
    const holder_numbers of = {1, 2, 3, 22, 44, 0};
    const isopod_answering answering = {numbers, sizeof numbers};
    fixture set;
    size_t bytes;
    uint8_t record[16];
    isopod_result result;
    isopod_holder holder;
    isopod_entropy entropy = {counts_random_fill, NULL, {0}, 0};
    fixture_tables(&set, &isopod_bfv_4096x3_sum);
    uint32_t *blob = holder_share(&set, &of, &bytes);
    holder_result(&result, &set);
    const isopod_workspace workspace = {check_memory(ISOPOD_HOLDER_WORKSPACE(set.n)),
                                        ISOPOD_HOLDER_WORKSPACE(set.n)};
    const isopod_flash flash = {read_record, write_record, erase_none, record, 64, 16};
    const isopod_holder_board board = {&entropy, &flash, drop, NULL};
    for (uint32_t trial = 0; trial < trials; trial++) {
        randomise_share(blob, &set);
        for (uint32_t i = 0; i < sizeof record; i++) {
            record[i] = 0xff;
        }
        counts_measure();
        isopod_region_begin();
        isopod_status opened = isopod_holder_open(&holder, set.params, &set.tables, blob, bytes);
        isopod_region_end();
        isopod_region_begin();
        isopod_status status =
            isopod_holder_contribute(&holder, &result, &answering, &board, &workspace);
        isopod_region_end();
        CHECK(opened == ISOPOD_OK && status == ISOPOD_OK);
        counts_report();
    }
}

void counts_owner(uint32_t profile, uint32_t trials) {
    check_memory_reset();
    if (profile < DECRYPTIONS) {
        run_decryption(&decryptions[profile], trials);
    } else if (profile == DECRYPTIONS + 2u) {
        run_contributions(trials);
    } else {
        run_key_pairs(profile == DECRYPTIONS ? &isopod_ckks_1024x1_sum
                                             : &isopod_bfv_4096x2w_seal_default,
                      trials);
    }
}
