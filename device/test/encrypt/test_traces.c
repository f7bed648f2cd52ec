/* No copy of a secret of a set of 32-bit primes stays in memory: entropy, noise key, noise, message
 * and secret key (trace_encryption.h). */
#include "../../src/base/workspace.h"
#include "../../src/encode/encode.h"
#include "../harness/tests.h"
#include "../harness/trace_encryption.h"

/* The last 16 coefficients of m + e0, which the last block of the first layers reads for any number
 * of chunks. */
static int32_t *noisy_message(const fixture *set, const int32_t *message, const int8_t *error) {
    uint32_t first = set->n - ISOPOD_FOLD_BLOCK;
    int32_t *last = check_memory(ISOPOD_FOLD_BLOCK * sizeof(int32_t));
    isopod_message32_add(message, set->n, first, last);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        last[i] += error[first + i];
    }
    return last;
}

static void expect_message(const fixture *set, const isopod_values *values, const int8_t *error,
                           secret_list *secrets) {
    int32_t *message = check_memory(set->n * 2);
    const isopod_noise_source stream = {set->config.suite, secrets->items[1].bytes,
                                        ISOPOD_DOMAIN_DITHER};
    const isopod_dither_source dither = {&stream, check_memory(set->n / 2)};
    isopod_encoding encoding = {set->params->log2_ring_degree,
                                set->config.log2_scale,
                                set->config.log2_bound,
                                values->count,
                                UINT32_MAX,
                                &dither};
    isopod_encode32(message, set->tables.cosine32, values, &encoding);
    add_secret(secrets, "values", values->data, 256);
    add_secret(secrets, "message", message, 512);
    add_secret(secrets, "message and error", noisy_message(set, message, error), 64);
}

static void check_reals(isopod_key_kind kind, const isopod_suite *suite, uint8_t chunks) {
    fixture set;
    secret_list secrets;
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_1024x1_sum, kind);
    fixture_configure(&set, suite, chunks);
    isopod_values values = {fixture_values(set.n / 2, 0, 1), set.n / 2, ISOPOD_VALUES_FLOAT32};
    set.config.log2_bound = 0;
    fixture_workspace(&set);
    const int8_t *error = trace_expect(&set, &values, &secrets);
    expect_message(&set, &values, error, &secrets);
    trace_encryption(&set, &values, &secrets);
}

/* v + e0 of spec/bfv.md, which begin leaves first in the workspace where the two share their
 * memory. */
static const void *integer_message(const fixture *set, const isopod_values *values) {
    fixture encoder = *set;
    isopod_encryption context;
    uint8_t first = *(const uint8_t *)set->entropy.state;
    int32_t *words = check_memory(64);
    encoder.entropy.state = &first;
    encoder.encryptor.entropy = &encoder.entropy;
    encoder.encryptor.sender = &encoder.sender;
    encoder.config.hedge_without_values = 1;
    encoder.config.chunks = 8;
    fixture_workspace(&encoder);
    CHECK(fixture_begin(&encoder, &context, values) == ISOPOD_OK);
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = ((const int32_t *)isopod_workspace_room(&encoder.encryptor.workspace))[i];
    }
    isopod_encryption_abort(&context);
    return words;
}

void trace_integers(const isopod_params *params, isopod_key_kind kind, uint8_t chunks) {
    fixture set;
    secret_list secrets;
    check_memory_reset();
    fixture_open(&set, params, kind);
    fixture_configure(&set, &isopod_suite_chacha20, chunks);
    uint32_t *integers = check_memory((size_t)4 * set.n);
    for (uint32_t i = 0; i < set.n; i++) {
        integers[i] = (77u * i + 5u) * (i + 9u) % (params->plain->modulus / 2u);
    }
    const isopod_values values = {integers, set.n, ISOPOD_VALUES_UINT32};
    (void)trace_expect(&set, &values, &secrets);
    add_secret(&secrets, "values", integers, 256);
    add_secret(&secrets, "message and error", integer_message(&set, &values), 64);
    trace_encryption(&set, &values, &secrets);
}

void test_traces(void) {
    static const isopod_suite *const suites[4] = {&isopod_suite_chacha20, &isopod_suite_shake256,
                                                  &isopod_suite_seal_shake256,
                                                  &isopod_suite_chacha20};
    for (uint32_t run = 0; run < 8; run++) {
        uint32_t kind = ISOPOD_KEY_PUBLIC + run % 4;
        check_reals((isopod_key_kind)kind, suites[(kind + run / 4) % 4], run % 2 == 0 ? 1 : 8);
        trace_integers(&isopod_bfv_1024x1_count, (isopod_key_kind)kind, run < 4 ? 1 : 8);
    }
}
