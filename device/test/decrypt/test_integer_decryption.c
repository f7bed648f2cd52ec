/* Decryption and decoding of integers against the known answers of the independent model: results
 * of every set of BFV at one to three primes, slots and coefficients, signed and unsigned, with
 * ternary and NTT keys; and what happens as the noise grows. */
#include "../harness/fixture.h"

#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../harness/check.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define ONE 0x3ff0000000000000u

typedef struct isopod_vector_bfv_results vector;

static result_input input_of(const vector *vector) {
    result_input input = {vector->numbers,
                          0,
                          0,
                          {ONE, vector->first, vector->rows, vector->columns, vector->stride,
                           (uint8_t)vector->primes},
                          0,
                          (uint8_t)vector->layout,
                          {0, 0}};
    return input;
}

static void check_type(const isopod_decrypt_config *config, const isopod_result *result,
                       isopod_value_type type, const char *sha3) {
    uint32_t count = result->claim.rows * result->claim.columns;
    isopod_decoded out = {check_memory((size_t)4 * count), count, type};
    isopod_decrypt context;
    CHECK(isopod_decrypt_result(&context, config, result_workspace(), result, &out) == ISOPOD_OK);
    CHECK(fixture_has_digest(out.data, (size_t)4 * count, sha3));
}

static void check_vector(const fixture *set, const fixture *ternary, const vector *vector) {
    result_input input = input_of(vector);
    size_t bytes;
    uint8_t *item = result_item(set, &input, &bytes);
    isopod_decrypt_config config = result_config(set, &input);
    isopod_result result;
    CHECK(bytes == vector->bytes);
    CHECK(fixture_has_digest(item, bytes, vector->sha3));
    CHECK(isopod_result_open(&result, set->params, result_link_key(), item, bytes) == ISOPOD_OK);
    check_type(&config, &result, ISOPOD_VALUES_UINT32, vector->u32_sha3);
    check_type(&config, &result, ISOPOD_VALUES_INT32, vector->s32_sha3);
    if (set->n <= 8192) {
        config = result_config(ternary, &input);
        check_type(&config, &result, ISOPOD_VALUES_INT32, vector->s32_sha3);
    }
}

typedef struct {
    fixture set, ternary;
    size_t mark;
} opened;

static void open_set(opened *opened, const isopod_params *params) {
    check_memory_reset();
    fixture_open(&opened->set, params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&opened->set, &isopod_suite_chacha20, 1);
    if (opened->set.n <= 8192) {
        fixture_open(&opened->ternary, params, ISOPOD_KEY_SECRET_TERNARY);
    }
    opened->mark = check_memory_mark();
}

/* Skips the largest set on boards, whose memory its keys and tables exceed. */
static void check_row(opened *opened, const vector *vector, uint32_t row) {
    const isopod_params *params = vector_set(vector->set);
#ifndef ISOPOD_TEST_HOST
    if (isopod_parameters_has_primes64(params) && params->log2_ring_degree > 13) {
        return;
    }
#endif
    if (row == 0 || opened->set.params != params) {
        open_set(opened, params);
    }
    check_case(vector->set, row);
    check_vector(&opened->set, &opened->ternary, vector);
    check_memory_release(opened->mark);
}

/* Residues of c0 for the constant x modulo the first prime; with c1 = 0 they are a ciphertext. */
static isopod_status decrypt_residue(const fixture *set, uint32_t x, uint32_t *value) {
    result_input input = {"u32", 0, 0, {ONE, 0, 1, 1, 1, 1}, 0, ISOPOD_COEFFICIENTS, {0, 0}};
    isopod_decrypt_config config = result_config(set, &input);
    uint32_t bits = set->params->primes[0].bits, bytes = set->n / 8 * bits;
    uint8_t *packed = check_memory(bytes + 8);
    isopod_decoded out = {value, 1, ISOPOD_VALUES_UINT32};
    isopod_decrypt context;
    /* the constant x in NTT order is x everywhere */
    for (uint32_t i = 0; i < set->n; i++) {
        uint32_t at = i * bits;
        uint64_t window = isopod_load64(packed + at / 8) | (uint64_t)x << at % 8;
        isopod_store64(packed + at / 8, window);
    }
    CHECK(isopod_decrypt_unauthenticated_begin(&context, &config, result_workspace(),
                                               &input.claim) == ISOPOD_OK);
    CHECK(isopod_decrypt_unauthenticated_feed(&context, packed, bytes) == ISOPOD_OK);
    isopod_wipe(packed, bytes);
    CHECK(isopod_decrypt_unauthenticated_feed(&context, packed, bytes) == ISOPOD_OK);
    return isopod_decrypt_unauthenticated_finish(&context, &out);
}

/* Noise of 7/16 of the distance between two plaintexts is corrected on either side, more is not. */
static void check_margin(const fixture *set) {
    uint64_t q = set->params->primes[0].modulus, t = set->params->plain->modulus;
    for (uint32_t p = 0; p < 40; p++) {
        size_t mark = check_memory_mark();
        uint64_t plain = p * (t / 40), centre = (plain * q + t / 2) / t, distance = q / t * 7 / 16;
        uint32_t value = 1;
        CHECK_QUIET(decrypt_residue(set, (uint32_t)(centre + distance - 2), &value) == ISOPOD_OK);
        CHECK_QUIET(value == plain);
        CHECK_QUIET(decrypt_residue(set, (uint32_t)((centre + q - distance + 2) % q), &value) ==
                    ISOPOD_OK);
        CHECK_QUIET(value == plain);
        CHECK_QUIET(decrypt_residue(set, (uint32_t)(centre + distance + 3), &value) ==
                    ISOPOD_ERROR_RESULT_BOUND);
        CHECK_QUIET(value == 0);
        check_memory_release(mark);
    }
}

static isopod_status begin(const isopod_decrypt_config *config, const isopod_claim *claim) {
    isopod_decrypt context;
    isopod_status status =
        isopod_decrypt_unauthenticated_begin(&context, config, result_workspace(), claim);
    isopod_decrypt_abort(&context);
    return status;
}

static void check_decoders(const fixture *set) {
    static const isopod_decoder *const others[4] = {NULL, &isopod_ckks_decode,
                                                    &isopod64_ckks_decode, &isopod64_bfv_decode};
    result_input input = {"u32", 0, 0, {ONE, 0, 1, set->n, set->n, 1}, 0, ISOPOD_SLOTS, {0, 0}};
    isopod_decrypt_config config = result_config(set, &input);
    CHECK(begin(&config, &input.claim) == ISOPOD_OK);
    for (uint32_t i = 0; i < 4; i++) {
        config.decoder = others[i];
        CHECK(begin(&config, &input.claim) == ISOPOD_ERROR_LAYOUT);
    }
}

static void check_errors(const fixture *set) {
    result_input input = {"u32", 0, 0, {ONE, 0, 1, set->n, set->n, 1}, 0, ISOPOD_SLOTS, {0, 0}};
    isopod_decrypt_config config = result_config(set, &input);
    isopod_tables without = set->tables;
    config.layout = ISOPOD_COMPLEX;
    CHECK(begin(&config, &input.claim) == ISOPOD_ERROR_LAYOUT);
    config.layout = ISOPOD_SLOTS_REPEATED;
    CHECK(begin(&config, &input.claim) == ISOPOD_OK);
    config.log2_bound = 1;
    CHECK(begin(&config, &input.claim) == ISOPOD_ERROR_BOUND);
    config.log2_bound = 0;
    without.plain = NULL;
    config.tables = &without;
    CHECK(begin(&config, &input.claim) == ISOPOD_ERROR_TABLES);
    config.layout = ISOPOD_COEFFICIENTS;
    CHECK(begin(&config, &input.claim) == ISOPOD_OK);
    input.claim.scale = ONE + 1;
    CHECK(begin(&config, &input.claim) == ISOPOD_ERROR_SCALE);
    input.claim.scale = ONE;
    input.claim.columns++;
    input.claim.stride++;
    CHECK(begin(&config, &input.claim) == ISOPOD_ERROR_COUNT);
}

/* Leaves zeros everywhere under another key and for values that are no integers. */
static void check_refused(const fixture *set) {
    result_input input = {"u32", 0, 0, {ONE, 0, 1, set->n, set->n, 1}, 0, ISOPOD_SLOTS, {0, 0}};
    isopod_decrypt_config config = result_config(set, &input);
    isopod_result result;
    isopod_decrypt context;
    size_t bytes;
    uint8_t *item = result_item(set, &input, &bytes);
    isopod_decoded out = {check_memory((size_t)8 * set->n), set->n, ISOPOD_VALUES_FLOAT32};
    CHECK(isopod_result_open(&result, set->params, result_link_key(), item, bytes) == ISOPOD_OK);
    CHECK(isopod_decrypt_result(&context, &config, result_workspace(), &result, &out) ==
          ISOPOD_ERROR_VALUE_TYPE);
    out.type = ISOPOD_VALUES_UINT32;
    set->blob[ISOPOD_KEY_HEADER_BYTES / 4 + 5] ^= 1u;
    ((uint32_t *)out.data)[7] = 1;
    CHECK(isopod_decrypt_result(&context, &config, result_workspace(), &result, &out) ==
          ISOPOD_ERROR_RESULT_BOUND);
    set->blob[ISOPOD_KEY_HEADER_BYTES / 4 + 5] ^= 1u;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < set->n; i++) {
        seen |= ((const uint32_t *)out.data)[i] | ((const uint32_t *)result_workspace()->memory)[i];
    }
    CHECK(seen == 0);
}

/* Checks that a key opened to decrypt does not encrypt. */
static void check_key(const fixture *set) {
    fixture other = *set;
    isopod_encryption context;
    isopod_values values = vector_integers("u32", 5, set->params->plain->modulus);
    CHECK(isopod_decryption_key_open(&other.key, set->params, set->blob, set->blob_bytes) ==
          ISOPOD_OK);
    other.config.key = &other.key;
    CHECK(isopod_bfv_begin(&context, &other.config, &other.encryptor, &values) ==
          ISOPOD_ERROR_KEY_KIND);
}

void test_integer_decryption(void) {
    opened opened;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_bfv_results); r++) {
        check_row(&opened, &isopod_vectors_bfv_results[r], r);
    }
    open_set(&opened, isopod_bfv_sets[0]);
    check_case(opened.set.params->name, 0);
    check_margin(&opened.set);
    check_decoders(&opened.set);
    check_errors(&opened.set);
    check_refused(&opened.set);
    check_key(&opened.set);
}

void test_integer_decryption64(void) {
    opened opened;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_bfv_results64); r++) {
        const struct isopod_vector_bfv_results64 *row = &isopod_vectors_bfv_results64[r];
        const vector same = {row->set,   row->primes, row->numbers,  row->layout,
                             row->first, row->rows,   row->columns,  row->stride,
                             row->bytes, row->sha3,   row->u32_sha3, row->s32_sha3};
        check_row(&opened, &same, r);
    }
}
