/* Sealed results in coefficients that travel rounded: known answers of the independent model, in
 * every type of value, with ternary and NTT keys; and every error of theirs. */
#include "../../src/base/parameters.h"
#include "../harness/check.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define ONE 0x3ff0000000000000u
#define TAG_ITEM 17u
/* Offsets of fields, as in test_decryption_errors.c. */
#define LAYOUT 243u
#define DROPPED_0 249u

/* One row of either list of vectors. */
typedef struct {
    result_input input;
    uint32_t bytes;
    const char *sha3;
    const char *digests[ISOPOD_VALUES_UINT32 + 1]; /* by type; NULL: the scheme has it not */
} answer;

static answer real_answer(const struct isopod_vector_rounded_results *row) {
    uint64_t scale = (uint64_t)(1023 + row->log2_scale) << 52 | (uint64_t)1 << 49; /* times 9/8 */
    answer answer = {
        {"f32",
         row->log2_scale,
         row->log2_bound,
         {scale, row->first, row->rows, row->columns, row->stride, (uint8_t)row->primes},
         0,
         ISOPOD_COEFFICIENTS_ROUNDED,
         {(uint8_t)row->dropped_0, (uint8_t)row->dropped_1}},
        row->bytes,
        row->sha3,
        {NULL}};
    answer.digests[ISOPOD_VALUES_FLOAT32] = row->f32_sha3;
    answer.digests[ISOPOD_VALUES_FLOAT64] = row->f64_sha3;
    answer.digests[ISOPOD_VALUES_INT32] = row->i32_sha3;
    return answer;
}

static answer integer_answer(const struct isopod_vector_rounded_bfv_results *row) {
    answer answer = {{row->numbers,
                      0,
                      0,
                      {ONE, row->first, row->rows, row->columns, row->stride, (uint8_t)row->primes},
                      0,
                      ISOPOD_COEFFICIENTS_ROUNDED,
                      {(uint8_t)row->dropped_0, (uint8_t)row->dropped_1}},
                     row->bytes,
                     row->sha3,
                     {NULL}};
    answer.digests[ISOPOD_VALUES_UINT32] = row->u32_sha3;
    answer.digests[ISOPOD_VALUES_INT32] = row->s32_sha3;
    return answer;
}

static isopod_status decrypt(const isopod_decrypt_config *config, const isopod_result *result,
                             isopod_decoded *out) {
    isopod_decrypt context;
    uint32_t seen = 0;
    isopod_status status = isopod_decrypt_result(&context, config, result_workspace(), result, out);
    for (size_t i = 0; i < result_workspace()->bytes; i++) {
        seen |= ((const uint8_t *)result_workspace()->memory)[i];
    }
    CHECK(seen == 0);
    return status;
}

static void check_values(const fixture *set, const answer *answer, const isopod_result *result) {
    const isopod_decrypt_config config = result_config(set, &answer->input);
    uint32_t count = result->claim.rows * result->claim.columns;
    for (uint32_t type = 1; type < LENGTH(answer->digests); type++) {
        size_t width = type == ISOPOD_VALUES_FLOAT64 ? 8 : 4;
        if (answer->digests[type] != NULL) {
            isopod_decoded out = {check_memory(width * count), count, (isopod_value_type)type};
            CHECK(decrypt(&config, result, &out) == ISOPOD_OK);
            CHECK(fixture_has_digest(out.data, width * count, answer->digests[type]));
        }
    }
}

static void open_set(fixture *set, const isopod_params *params, isopod_key_kind kind) {
    fixture_open(set, params, kind);
    fixture_configure(set, &isopod_suite_chacha20, 1);
}

static void check_answer(const char *name, uint32_t row, const answer *answer) {
    const isopod_params *params = vector_set(name);
    fixture set, ternary;
    isopod_result result;
    size_t bytes;
    check_case(name, row);
    open_set(&set, params, ISOPOD_KEY_SECRET_NTT);
    uint8_t *item = result_item(&set, &answer->input, &bytes);
    CHECK(bytes == answer->bytes);
    CHECK(fixture_has_digest(item, bytes, answer->sha3));
    CHECK(isopod_result_open(&result, params, result_link_key(), item, bytes) == ISOPOD_OK);
    CHECK(result.layout == ISOPOD_COEFFICIENTS_ROUNDED);
    check_values(&set, answer, &result);
    open_set(&ternary, params, ISOPOD_KEY_SECRET_TERNARY);
    check_values(&ternary, answer, &result);
    check_memory_reset();
}

/* A result at one prime of 26 bits: 15 answers, 3 and 2 dropped bits. */
typedef struct {
    fixture set;
    answer answer;
    isopod_decrypt_config config;
    uint8_t *item;
    size_t bytes;
    isopod_decoded out;
} rounded_test;

static void prepare(rounded_test *test) {
    open_set(&test->set, vector_set(isopod_vectors_rounded_results[0].set), ISOPOD_KEY_SECRET_NTT);
    test->answer = real_answer(&isopod_vectors_rounded_results[0]);
    test->config = result_config(&test->set, &test->answer.input);
    test->item = result_item(&test->set, &test->answer.input, &test->bytes);
    test->out.data = check_memory(8 * 15);
    test->out.capacity = 15;
    test->out.type = ISOPOD_VALUES_FLOAT64;
}

/* Opens the item with one byte changed and sealed anew, and decrypts it. */
static isopod_status changed(rounded_test *test, size_t at, uint8_t value) {
    isopod_result result;
    uint8_t before = test->item[at];
    test->item[at] = value;
    result_seal(test->item, test->bytes);
    isopod_status status =
        isopod_result_open(&result, test->set.params, result_link_key(), test->item, test->bytes);
    if (status == ISOPOD_OK) {
        status = decrypt(&test->config, &result, &test->out);
    }
    test->item[at] = before;
    result_seal(test->item, test->bytes);
    return status;
}

/* Refuses a coefficient of three bytes that is not below the modulus. */
static void check_residue(rounded_test *test, size_t at, uint8_t top) {
    uint8_t before = test->item[at + 1];
    test->item[at + 1] = 0xff;
    CHECK(changed(test, at + 2, (uint8_t)(test->item[at + 2] | top)) == ISOPOD_ERROR_RESIDUE);
    CHECK(((const uint64_t *)test->out.data)[0] == 0);
    test->item[at + 1] = before;
    result_seal(test->item, test->bytes);
}

static void check_fields(rounded_test *test) {
    const uint8_t *item = test->item;
    size_t c1 = test->bytes - TAG_ITEM - 3072; /* 1024 coefficients of 24 bits */
    size_t c0 = c1 - 3 - 44;                   /* 15 of 23: 345 bits */
    CHECK(item[LAYOUT] == 5 && item[DROPPED_0] == 3 && item[DROPPED_0 + 1] == 2);
    CHECK(item[c0 - 2] == 0x58 && item[c0 - 1] == 44);
    CHECK(changed(test, LAYOUT, 5) == ISOPOD_OK);
    CHECK(changed(test, LAYOUT, 4) == ISOPOD_ERROR_RESULT_FORMAT);
    CHECK(changed(test, LAYOUT, 6) == ISOPOD_ERROR_RESULT_FORMAT);
    CHECK(changed(test, LAYOUT, 0) == ISOPOD_ERROR_RESULT_FORMAT); /* slots drop no bits */
    CHECK(changed(test, LAYOUT - 10, 2) == ISOPOD_ERROR_LEVEL);
    CHECK(changed(test, DROPPED_0, 4) == ISOPOD_ERROR_RESULT_FORMAT); /* another length */
    CHECK(changed(test, DROPPED_0 + 1, 1) == ISOPOD_ERROR_RESULT_FORMAT);
    CHECK(changed(test, c0 + 43, (uint8_t)(item[c0 + 43] | 2u)) == ISOPOD_ERROR_RESULT_FORMAT);
    check_residue(test, c0, 0x7f);
    check_residue(test, c1, 0xff);
    check_residue(test, test->bytes - TAG_ITEM - 3, 0xff);
}

/* Results and configurations of different layouts, and values beyond their bound. */
static void check_config(rounded_test *test) {
    isopod_result result;
    const isopod_decrypt_config good = test->config;
    CHECK(isopod_result_open(&result, test->set.params, result_link_key(), test->item,
                             test->bytes) == ISOPOD_OK);
    test->config.layout = ISOPOD_SLOTS;
    CHECK(decrypt(&test->config, &result, &test->out) == ISOPOD_ERROR_LAYOUT);
    test->config.layout = ISOPOD_COEFFICIENTS_ROUNDED;
    test->config.decoder = &isopod_ckks_decode;
    CHECK(decrypt(&test->config, &result, &test->out) == ISOPOD_ERROR_LAYOUT);
    test->config = good;
    test->config.log2_bound = -1;
    CHECK(decrypt(&test->config, &result, &test->out) == ISOPOD_ERROR_RESULT_BOUND);
    CHECK(((const uint64_t *)test->out.data)[14] == 0);
    test->config = good;
    CHECK(decrypt(&test->config, &result, &test->out) == ISOPOD_OK);
    result.layout = ISOPOD_SLOTS;
    CHECK(decrypt(&test->config, &result, &test->out) == ISOPOD_ERROR_LAYOUT);
}

/* More bits than the modulus has. */
static void check_dropped(rounded_test *test) {
    isopod_result result;
    test->item[DROPPED_0] = 23;
    test->item[DROPPED_0 + 1] = 23;
    result_seal(test->item, test->bytes);
    CHECK(isopod_result_open(&result, test->set.params, result_link_key(), test->item,
                             test->bytes) == ISOPOD_ERROR_RESULT_FORMAT);
    uint8_t *longer = check_memory(test->bytes + 1); /* 26 as a CBOR number takes two bytes */
    for (size_t i = 0; i < test->bytes; i++) {
        longer[i + (i > DROPPED_0)] = test->item[i];
    }
    longer[DROPPED_0] = 0x18;
    longer[DROPPED_0 + 1] = 26;
    result_seal(longer, test->bytes + 1);
    CHECK(isopod_result_open(&result, test->set.params, result_link_key(), longer,
                             test->bytes + 1) == ISOPOD_ERROR_ROUNDING);
}

void test_rounded_results(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_rounded_results); r++) {
        const answer answer = real_answer(&isopod_vectors_rounded_results[r]);
        check_answer(isopod_vectors_rounded_results[r].set, r, &answer);
    }
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_rounded_bfv_results); r++) {
        const answer answer = integer_answer(&isopod_vectors_rounded_bfv_results[r]);
        check_answer(isopod_vectors_rounded_bfv_results[r].set, r, &answer);
    }
    rounded_test test;
    prepare(&test);
    check_case("rounded results", 0);
    check_fields(&test);
    check_config(&test);
    check_dropped(&test);
    check_memory_reset();
}
