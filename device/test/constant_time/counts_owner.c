/* Decryption of random messages under random keys, and key pairs of random entropy, in regions. */
#include "../../src/memory.h"
#include "../../src/packing.h"
#include "../check.h"
#include "counter/markers.h"
#include "counts.h"
#include "isopod/decrypt.h"
#include "isopod/key_pair.h"

#define PIECE_BYTES 512u

typedef struct {
    const isopod_params *params;
    isopod_key_kind kind;
    int8_t log2_bound;
    isopod_value_type type;
} decryption;

static const decryption decryptions[] = {
    {&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT, 0, ISOPOD_VALUES_FLOAT32},
    {&isopod_ckks_4096x3_multiply, ISOPOD_KEY_SECRET_TERNARY, 6, ISOPOD_VALUES_FLOAT64},
    {&isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_NTT, 0, ISOPOD_VALUES_INT32},
};
#define DECRYPTIONS (sizeof decryptions / sizeof decryptions[0])

static size_t residue_bytes(const isopod_params *params) {
    size_t bits = 0;
    for (uint32_t j = 0; j < params->prime_count; j++) {
        bits += params->primes[j].bits;
    }
    return bits << (params->log2_ring_degree - 3u);
}

/* c1: the mask that counts.c gives to every encryption. */
static uint8_t *mask_of(const fixture *set) {
    uint8_t *packed = check_memory(residue_bytes(set->params)), *at = packed, seed[64];
    uint32_t *row = check_memory((size_t)4 * set->n), refill = 0;
    fixture_bytes(seed, 0x30, sizeof seed);
    for (uint8_t j = 0; j < set->params->prime_count; j++) {
        isopod_mask_expand(row, set->config.suite, seed, set->params, j, &refill);
        uint32_t bytes = isopod_pack_in_place(row, set->n, set->params->primes[j].bits);
        isopod_copy(at, (const uint8_t *)row, bytes);
        at += bytes;
    }
    return packed;
}

static isopod_decrypt_config config_of(const fixture *set) {
    uint32_t ternary = set->key.kind == ISOPOD_KEY_SECRET_TERNARY;
    size_t bytes = ISOPOD_DECRYPT_WORKSPACE(set->n, set->params->prime_count, ternary);
    isopod_decrypt_config config = {.params = set->params,
                                    .tables = &set->tables,
                                    .key = &set->key,
                                    .decoder = set->params->plain != NULL ? &isopod_bfv_decode
                                                                          : &isopod_ckks_decode,
                                    .workspace = check_memory(bytes),
                                    .workspace_bytes = bytes,
                                    .log2_bound = set->config.log2_bound,
                                    .layout = ISOPOD_SLOTS};
    return config;
}

typedef struct {
    const uint8_t *c0, *c1;
    size_t bytes;
} ciphertext;

/* The beginning takes both polynomials, the rest decodes. */
static void decrypt(const isopod_decrypt_config *config, const isopod_answer *answer,
                    const ciphertext *from, const isopod_decoded *out) {
    static isopod_decrypt context;
    isopod_region_begin();
    isopod_status begun = isopod_decrypt_unauthenticated_begin(&context, config, answer);
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
    set->entropy.fill = counts_random_fill;
    fixture_workspace(set);
}

static void run_decryption(const decryption *profile, uint32_t trials) {
    fixture set;
    prepare(&set, profile);
    uint32_t is_integer = set.params->plain != NULL, slots = is_integer ? set.n : set.n / 2;
    size_t bytes = residue_bytes(set.params);
    const isopod_answer answer = {(uint64_t)(set.config.log2_scale + 1023) << 52, 0, 1, slots,
                                  set.params->prime_count};
    const isopod_decrypt_config config = config_of(&set);
    const isopod_values values = {check_memory((size_t)8 * slots), slots,
                                  is_integer ? ISOPOD_VALUES_UINT32 : ISOPOD_VALUES_FLOAT32};
    const isopod_decoded out = {check_memory((size_t)8 * slots), slots, profile->type};
    uint8_t *packed = check_memory(bytes);
    const ciphertext from = {packed, mask_of(&set), bytes};
    for (uint32_t trial = 0; trial < trials; trial++) {
        counts_randomise_key(&set);
        counts_randomise_values(&set, &values);
        CHECK(fixture_encrypt(&set, &values, packed, bytes) == bytes);
        decrypt(&config, &answer, &from, &out);
    }
}

/* The kinds that are transformed and the kind that is not. */
static isopod_status take_payloads(isopod_key_pair *pair) {
    static uint8_t out[PIECE_BYTES];
    isopod_key_piece piece;
    isopod_status status = ISOPOD_DONE;
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        status = isopod_key_pair_payload(pair, (isopod_key_kind)kind);
        while (status == ISOPOD_OK) {
            status = isopod_key_pair_next(pair, out, sizeof out, &piece);
        }
    }
    return status;
}

static void run_key_pairs(uint32_t trials) {
    fixture set;
    isopod_key_pair pair;
    fixture_tables(&set, &isopod_ckks_1024x1_sum);
    size_t bytes = ISOPOD_KEY_PAIR_WORKSPACE(set.n, 4);
    isopod_entropy entropy = {counts_random_fill, NULL, NULL, 7, {0}, 0};
    const isopod_key_pair_config config = {set.params,          &set.tables, &entropy,
                                           check_memory(bytes), bytes,       4};
    for (uint32_t trial = 0; trial < trials; trial++) {
        counts_measure();
        isopod_region_begin();
        isopod_status status = isopod_key_pair_begin(&pair, &config);
        isopod_region_end();
        CHECK(status == ISOPOD_OK);
        isopod_region_begin();
        status = take_payloads(&pair);
        isopod_key_pair_close(&pair);
        isopod_region_end();
        CHECK(status == ISOPOD_DONE);
        counts_report();
    }
}

void counts_owner(uint32_t profile, uint32_t trials) {
    check_memory_reset();
    if (profile < DECRYPTIONS) {
        run_decryption(&decryptions[profile], trials);
    } else {
        run_key_pairs(trials);
    }
}
