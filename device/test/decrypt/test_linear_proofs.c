/* Proofs of sums by linear tags, as a device reads them: the tag that five frames fold to is
 * believed, and whatever is not that sum is refused by name, its values zeroed. */
#include "isopod/linear_verifier.h"

#include "../../src/random/keccak.h"
#include "../../src/tag/linear_tag.h"
#include "../harness/check.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#define GROUP_NUMBER 2u
#define PERIOD 9u
#define ONE 0x3ff0000000000000u

/* A result of whole numbers in coefficients, under the owner's ternary key. */
typedef struct {
    fixture set, ternary;
    result_input input;
    result_proof proof;
    isopod_linear_verifier verifier;
    isopod_decrypt_config config;
    isopod_decoded out;
    uint8_t tag[ISOPOD_LINEAR_TAG_BYTES];
} proof_test;

static void derive(uint8_t *out, const uint8_t *label, size_t length, const uint8_t *key,
                   const uint8_t *number, size_t number_length) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, label, length);
    isopod_keccak_absorb(&sponge, key, ISOPOD_LINEAR_SECRET_BYTES);
    isopod_keccak_absorb(&sponge, number, number_length);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, out, ISOPOD_LINEAR_SECRET_BYTES);
}

/* The key of a device, from the first period on. */
static void device_key(isopod_linear_key *key, const isopod_linear_verifier *verifier,
                       uint32_t device) {
    static const uint8_t group_label[] = ISOPOD_HASH_LABEL_LINEAR_GROUP;
    static const uint8_t device_label[] = ISOPOD_HASH_LABEL_LINEAR_DEVICE;
    const uint8_t number[8] = {(uint8_t)device, (uint8_t)(device >> 8)};
    const uint8_t group[4] = {GROUP_NUMBER};
    isopod_linear_secrets secrets = {.period = 0};
    derive(secrets.group, group_label, sizeof group_label, verifier->master, group, sizeof group);
    derive(secrets.device, device_label, sizeof device_label, verifier->master, number,
           sizeof number);
    while (secrets.period < PERIOD) {
        CHECK(isopod_linear_secrets_advance(&secrets) == ISOPOD_OK);
    }
    isopod_linear_key_open(key, &secrets);
}

/* The number of the tag of a frame, all of whose values are zero unless they are given. */
static uint64_t tag_of(const proof_test *test, const isopod_frame_name *name,
                       const int32_t *values) {
    const isopod_claim *claim = &test->input.claim;
    uint8_t packing[ISOPOD_PACKING_BYTES];
    uint32_t words[ISOPOD_LINEAR_WORDS];
    isopod_linear_sum sum = {.place = 0};
    isopod_linear_key key;
    fixture_bytes(packing, 0x70, sizeof packing);
    const isopod_linear_frame frame = {.name = name,
                                       .packing = packing,
                                       .columns = claim->columns,
                                       .stride = claim->stride,
                                       .ring_degree = test->set.n};
    device_key(&key, &test->verifier, (uint32_t)name->device);
    for (uint32_t r = 0; values != NULL && r < claim->rows; r++) {
        const isopod_values row = {values, claim->columns, ISOPOD_VALUES_INT32};
        isopod_linear_add(&sum, &key, &row, r * claim->columns, claim->first + r * claim->stride);
    }
    isopod_linear_finish(words, &sum, &key, &frame);
    return ((uint64_t)words[1] << 32 | words[0]) & ISOPOD_LINEAR_MODULUS;
}

/* Folds the tags of the usual frames, whose sum the values are. */
static void fold(proof_test *test, const int32_t *values) {
    static const isopod_frame_name names[] = {{.device = 1001, .epoch = 3, .sequence = 42},
                                              {.device = 1001, .epoch = 3, .sequence = 43},
                                              {.device = 1001, .epoch = 3, .sequence = 44},
                                              {.device = 1001, .epoch = 3, .sequence = 47},
                                              {.device = 1002, .epoch = 1, .sequence = 0}};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 5; i++) {
        sum = (sum + tag_of(test, &names[i], i == 2 ? values : NULL)) % ISOPOD_LINEAR_MODULUS;
    }
    isopod_store64(test->tag, sum | (uint64_t)(PERIOD % 8u) << 61);
}

static isopod_status decrypted(const proof_test *test, const uint8_t *item, size_t bytes) {
    isopod_decrypt context;
    isopod_result result;
    isopod_status status =
        isopod_result_open(&result, test->set.params, result_link_key(), item, bytes);
    return status == ISOPOD_OK ? isopod_decrypt_result(&context, &test->config, result_workspace(),
                                                       &result, &test->out)
                               : status;
}

/* Decrypts the result as it is described now. */
static isopod_status opened(const proof_test *test) {
    size_t bytes, mark = check_memory_mark();
    result_prove(&test->proof);
    uint8_t *item = result_item(&test->set, &test->input, &bytes);
    isopod_status status = decrypted(test, item, bytes);
    check_memory_release(mark);
    return status;
}

static void refuses(const proof_test *test, isopod_status wanted) {
    int32_t *const values = test->out.data;
    values[0] = 1;
    CHECK(opened(test) == wanted);
    if (wanted == ISOPOD_ERROR_UNPROVED) {
        for (uint32_t i = 0; i < test->out.capacity; i++) {
            CHECK_QUIET(values[i] == 0);
        }
    }
}

static void prepare(proof_test *test, const struct isopod_vector_rounded_bfv_results *row) {
    const isopod_params *params = vector_set(row->set);
    const result_input input = {
        row->numbers,
        0,
        0,
        {ONE, row->first, row->rows, row->columns, row->stride, (uint8_t)row->primes},
        0,
        ISOPOD_COEFFICIENTS_ROUNDED,
        {(uint8_t)row->dropped_0, (uint8_t)row->dropped_1}};
    const result_proof proof = {"sum", result_ranges, NULL};
    const uint32_t count = row->rows * row->columns;
    fixture_open(&test->set, params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&test->set, &isopod_suite_chacha20, 1);
    fixture_open(&test->ternary, params, ISOPOD_KEY_SECRET_TERNARY);
    test->input = input;
    test->proof = proof;
    test->config = result_config(&test->ternary, &test->input);
    test->out.data = check_memory(4 * count);
    test->out.capacity = count;
    test->out.type = ISOPOD_VALUES_INT32;
    CHECK(isopod_linear_verifier_open(&test->verifier, &test->set.key, GROUP_NUMBER, PERIOD) ==
          ISOPOD_ERROR_KEY_KIND);
    CHECK(isopod_linear_verifier_open(&test->verifier, &test->ternary.key, GROUP_NUMBER, PERIOD) ==
          ISOPOD_OK);
}

/* Without a tag, without a verifier, with one of another period or group, and as another type. */
static void check_settings(proof_test *test) {
    isopod_linear_verifier other;
    test->config.verifier = NULL;
    refuses(test, ISOPOD_ERROR_NO_PROOF);
    test->config.verifier = &other;
    CHECK(isopod_linear_verifier_open(&other, &test->ternary.key, GROUP_NUMBER, PERIOD + 1u) ==
          ISOPOD_OK);
    refuses(test, ISOPOD_ERROR_NO_PROOF);
    CHECK(isopod_linear_verifier_open(&other, &test->ternary.key, GROUP_NUMBER, PERIOD + 8u) ==
          ISOPOD_OK);
    refuses(test, ISOPOD_ERROR_UNPROVED);
    CHECK(isopod_linear_verifier_open(&other, &test->ternary.key, GROUP_NUMBER + 1u, PERIOD) ==
          ISOPOD_OK);
    refuses(test, ISOPOD_ERROR_UNPROVED);
    test->config.verifier = &test->verifier;
    test->out.type = ISOPOD_VALUES_UINT32;
    refuses(test, ISOPOD_ERROR_NO_PROOF);
    test->out.type = ISOPOD_VALUES_INT32;
    test->proof.linear_tag = NULL;
    refuses(test, ISOPOD_ERROR_NO_PROOF);
    test->proof.linear_tag = test->tag;
    test->proof.job = "total";
    refuses(test, ISOPOD_ERROR_NO_PROOF);
    test->proof.job = "sum";
}

static void check_tags(proof_test *test) {
    for (uint32_t bit = 0; bit < 61; bit += 12) {
        test->tag[bit / 8u] ^= (uint8_t)(1u << bit % 8u);
        refuses(test, ISOPOD_ERROR_UNPROVED);
        test->tag[bit / 8u] ^= (uint8_t)(1u << bit % 8u);
    }
    const uint64_t tag = isopod_load64(test->tag);
    isopod_store64(test->tag, tag | ISOPOD_LINEAR_MODULUS);
    refuses(test, ISOPOD_ERROR_RESULT_FORMAT);
    isopod_store64(test->tag, tag);
}

/* Other names, and lists that are none. */
static void check_names(proof_test *test) {
    static const uint32_t others[][15] = {
        {1001, 3, 42, 44, 4, 1001, 3, 48, 48, 4, 1002, 1, 0, 0, 5}, /* another sequence */
        {1001, 3, 42, 44, 4, 1001, 4, 47, 47, 4, 1002, 1, 0, 0, 5}, /* another epoch */
        {1001, 3, 42, 44, 4, 1001, 3, 47, 47, 4, 1003, 1, 0, 0, 5}, /* another device */
        {1001, 3, 42, 44, 4, 1001, 3, 44, 44, 4, 1002, 1, 0, 0, 5}, /* a frame twice */
        {1001, 3, 42, 44, 4, 1001, 3, 45, 45, 4, 1002, 1, 0, 0, 5}, /* one range as two */
        {1001, 3, 42, 44, 4, 1001, 3, 40, 40, 4, 1002, 1, 0, 0, 5}, /* out of order */
        {1001, 3, 42, 44, 4, 1001, 2, 47, 47, 4, 1002, 1, 0, 0, 5},
        {1002, 3, 42, 44, 4, 1001, 3, 47, 47, 4, 1002, 1, 0, 0, 5},
        {1001, 3, 42, 44, 0, 1001, 3, 47, 47, 4, 1002, 1, 0, 0, 5}, /* no rows */
        {1001, 3, 44, 42, 4, 1001, 3, 47, 47, 4, 1002, 1, 0, 0, 5}, /* the last before the first */
        {1001, 3, 42, 43, 4, 1001, 3, 47, 47, 4, 1002, 1, 0, 0, 5}, /* too few, too many */
        {1001, 3, 42, 44, 4, 1001, 3, 47, 4000000000, 4, 1002, 1, 0, 0, 5}};
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        check_case("names", i);
        test->proof.ranges = others[i];
        refuses(test, i < 3 ? ISOPOD_ERROR_UNPROVED : ISOPOD_ERROR_NO_PROOF);
    }
    test->proof.ranges = result_ranges;
}

/* A manifest that is not that of the origin. */
static void check_origin(const proof_test *test) {
    size_t bytes, mark = check_memory_mark();
    result_prove(&test->proof);
    uint8_t *item = result_item(&test->set, &test->input, &bytes);
    isopod_result result;
    CHECK(isopod_result_open(&result, test->set.params, result_link_key(), item, bytes) ==
          ISOPOD_OK);
    item[result.origin - item] ^= 1u;
    result_seal(item, bytes);
    CHECK(decrypted(test, item, bytes) == ISOPOD_ERROR_NO_PROOF);
    check_memory_release(mark);
}

void test_linear_proofs(void) {
    proof_test test = {.tag = {0}};
    int32_t values[64];
    check_case("linear proofs", 0);
    prepare(&test, &isopod_vectors_rounded_bfv_results[0]);
    CHECK(opened(&test) == ISOPOD_OK);
    CHECK(test.out.capacity <= 64);
    for (uint32_t i = 0; i < test.out.capacity; i++) {
        values[i] = ((const int32_t *)test.out.data)[i];
    }
    fold(&test, values);
    test.proof.linear_tag = test.tag;
    test.config.verifier = &test.verifier;
    CHECK(opened(&test) == ISOPOD_OK);
    for (uint32_t i = 0; i < test.out.capacity; i++) {
        CHECK(values[i] == ((const int32_t *)test.out.data)[i]);
    }
    check_settings(&test);
    check_tags(&test);
    check_names(&test);
    check_origin(&test);
    values[test.out.capacity - 1u]++;
    fold(&test, values);
    refuses(&test, ISOPOD_ERROR_UNPROVED);
    result_prove(NULL);
    check_memory_reset();
}
