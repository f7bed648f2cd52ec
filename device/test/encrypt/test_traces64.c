/* No copy of a secret of a set of 64-bit primes stays in memory (compare test_traces.c); a single
 * 64-bit word counts as one. */
#include "../../src/encode/encode.h"
#include "../harness/tests.h"
#include "../harness/trace_encryption.h"

/* The first and the last coefficients, since chunks read them in different calls. */
static void expect_message(const fixture *set, const isopod_values *values, const int8_t *error,
                           secret_list *secrets) {
    uint32_t first = set->n - ISOPOD_FOLD_BLOCK;
    int64_t *message = check_memory((size_t)4 * set->n);
    int64_t *last = check_memory(ISOPOD_FOLD_BLOCK * sizeof(int64_t));
    const isopod_noise_source stream = {set->config.suite, secrets->items[1].bytes,
                                        ISOPOD_DOMAIN_DITHER};
    const isopod_dither_source dither = {&stream, check_memory(set->n / 2)};
    isopod_encoding encoding = {set->params->log2_ring_degree,
                                set->config.log2_scale,
                                set->config.log2_bound,
                                values->count,
                                UINT32_MAX,
                                &dither};
    isopod_encode64(message, set->tables.cosine64, values, &encoding);
    isopod_message64_add(message, set->n, first, last);
    add_secret(secrets, "message", message, 256);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        last[i] += error[first + i];
    }
    add_secret(secrets, "message and error", last, ISOPOD_FOLD_BLOCK * sizeof(int64_t));
}

static void check_reals(isopod_key_kind kind, const isopod_suite *suite, uint8_t chunks) {
    fixture set;
    secret_list secrets;
    check_memory_reset();
    fixture_open(&set, &isopod_ckks_8192x3w_sum, kind);
    fixture_configure(&set, suite, chunks);
    set.config.level = 1;
    fixture_workspace(&set);
    isopod_values values = {fixture_values(set.n / 2, 0, 1), set.n / 2, ISOPOD_VALUES_FLOAT32};
    const int8_t *error = trace_expect(&set, &values, &secrets);
    add_secret(&secrets, "values", values.data, 256);
    expect_message(&set, &values, error, &secrets);
    trace_encryption(&set, &values, &secrets);
}

void test_traces64(void) {
    check_reals(ISOPOD_KEY_PUBLIC, &isopod_suite_shake256, 8);
    check_reals(ISOPOD_KEY_PUBLIC_SEEDED, &isopod_suite_chacha20, 1);
    check_reals(ISOPOD_KEY_SECRET_TERNARY, &isopod_suite_chacha20, 4);
    check_reals(ISOPOD_KEY_SECRET_NTT, &isopod_suite_chacha20, 1);
    trace_integers(&isopod_bfv_4096x2w_seal_default, ISOPOD_KEY_PUBLIC, 1);
    trace_integers(&isopod_bfv_4096x2w_seal_default, ISOPOD_KEY_SECRET_NTT, 8);
}
