/* No copy of a secret stays in memory: the stack below the caller, the workspace and the context
 * are searched for the bytes of the entropy, of the noise key, of the noise, of the message and of
 * the ternary key, while an encryption runs and after its end, its abort and its refusal. */
#include "../src/encode.h"
#include "../src/memory.h"
#include "../src/root.h"
#include "../src/sample.h"
#include "check.h"
#include "fixture.h"
#include "tests.h"
#include "trace_search.h"

#define SECRETS 8u

static void expected_root(const fixture *set, isopod_noise_key *noise, const uint8_t *entropy) {
    isopod_ckks context = {0};
    isopod_entropy source = set->entropy;
    isopod_ckks_config config = set->config;
    uint8_t first = entropy[0];
    source.state = &first;
    config.entropy = &source;
    context.config = &config;
    CHECK(isopod_root_take(&context, noise, set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 1 : 2) ==
          ISOPOD_OK);
}

/* The last 16 coefficients of m + e0: what the last block of the first layers reads, whatever the
 * number of chunks. */
static const uint8_t *noisy_message(const fixture *set, const int32_t *message,
                                    const int8_t *error) {
    int32_t *last = check_memory(ISOPOD_FOLD_BLOCK * sizeof(int32_t));
    isopod_message32_add(message, set->n, set->n - ISOPOD_FOLD_BLOCK, last);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        last[i] += error[set->n - ISOPOD_FOLD_BLOCK + i];
    }
    return (const uint8_t *)last;
}

/* What the next encryption will hide, in memory that is neither stack nor workspace. */
static void expected_secrets(const fixture *set, const isopod_values *values, secret out[SECRETS]) {
    const isopod_ckks_config *config = &set->config;
    uint8_t *entropy = check_memory(32);
    isopod_noise_key *noise = check_memory(sizeof *noise);
    isopod_stream *stream = check_memory(sizeof *stream);
    int8_t *errors[2] = {check_memory(set->n), check_memory(set->n)};
    uint32_t *ternary = check_memory(set->n / 4);
    int32_t *message = check_memory(set->n * 2);
    isopod_encoding encoding = {set->params->log2_ring_degree, config->log2_scale,
                                config->log2_bound, values->count, UINT32_MAX};
    fixture_bytes(entropy, *(const uint8_t *)set->entropy.state, 32);
    expected_root(set, noise, entropy);
    for (uint32_t e = 0; e < 2; e++) {
        isopod_stream_name name = {ISOPOD_DOMAIN_ERROR0 + e, 0};
        isopod_stream_start(stream, config->suite, noise->bytes, name);
        isopod_sample_error(errors[e], set->n, stream);
    }
    isopod_stream_name name = {ISOPOD_DOMAIN_TERNARY, 0};
    isopod_stream_start(stream, config->suite, noise->bytes, name);
    isopod_sample_ternary(ternary, set->n, stream);
    isopod_encode32(message, set->tables.cosine32, values, &encoding);
    const secret found[SECRETS] = {
        {"entropy", entropy, 32},
        {"noise key", noise->bytes, 32},
        {"error e0", (uint8_t *)errors[0], 512},
        {"error e1", (uint8_t *)errors[1], 512},
        {"ternary u", (uint8_t *)ternary, 256},
        {"message", (uint8_t *)message, 512},
        {"message and error", noisy_message(set, message, errors[0]), 64},
        {"secret key", (const uint8_t *)set->ternary, 256},
    };
    for (uint32_t i = 0; i < SECRETS; i++) {
        out[i] = found[i];
    }
}

static UNSANITISED void search_stack(const uint8_t *top, const secret *secrets, uint32_t step) {
    for (uint32_t i = 0; i < SECRETS; i++) {
        check_case(secrets[i].name, step);
        CHECK(copies_below(top, &secrets[i]) == 0);
    }
}

/* Keys and entropy must be gone while the encryption runs; afterwards everything. */
static void search_memory(const fixture *set, const isopod_ckks *context, const secret *secrets,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        check_case(secrets[i].name, 999);
        CHECK(copies(set->config.workspace, set->config.workspace_bytes, &secrets[i]) == 0);
        CHECK(copies((const uint8_t *)context, sizeof *context, &secrets[i]) == 0);
    }
}

static UNSANITISED isopod_status begin_deeper(isopod_ckks *context, const fixture *set,
                                              const isopod_values *values) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    isopod_status status = isopod_ckks_begin(context, &set->config, values);
    held_gap = NULL;
    return status;
}

static UNSANITISED isopod_status next_deeper(isopod_ckks *context, uint8_t *out, size_t *length) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    isopod_status status = isopod_ckks_next(context, out, 4096, length);
    held_gap = NULL;
    return status;
}

static UNSANITISED void check_run(fixture *set, const isopod_values *values,
                                  const secret *secrets) {
    isopod_ckks *context = check_memory(sizeof *context);
    uint8_t *out = check_memory(4096), *top = __builtin_frame_address(0);
    size_t length;
    paint_below();
    isopod_status status = begin_deeper(context, set, values);
    search_stack(top - 64, secrets, 0);
    CHECK(status == ISOPOD_OK);
    search_memory(set, context, secrets, 2);
    for (uint32_t step = 1; status == ISOPOD_OK; step++) {
        paint_below();
        status = next_deeper(context, out, &length);
        if (step < 4 || status != ISOPOD_OK) {
            search_stack(top - 64, secrets, step);
        }
    }
    CHECK(status == ISOPOD_DONE);
    search_memory(set, context, secrets, SECRETS);
}

static UNSANITISED void abort_deeper(isopod_ckks *context) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    isopod_ckks_abort(context);
    held_gap = NULL;
}

/* An encryption that is given up in the middle of a chunk. */
static UNSANITISED void check_abort(const fixture *set, const isopod_values *values,
                                    const secret *secrets) {
    isopod_ckks *context = check_memory(sizeof *context);
    uint8_t *out = check_memory(4096), *top = __builtin_frame_address(0);
    size_t length;
    paint_below();
    isopod_status status = begin_deeper(context, set, values);
    CHECK(status == ISOPOD_OK);
    CHECK(next_deeper(context, out, &length) == ISOPOD_OK);
    abort_deeper(context);
    search_stack(top - 64, secrets, 1000);
    search_memory(set, context, secrets, SECRETS);
}

/* The source repeats itself: refused only after the library has read the entropy. */
static UNSANITISED void check_refusal(fixture *set, const isopod_values *values,
                                      const secret *secrets) {
    isopod_ckks *context = check_memory(sizeof *context);
    uint8_t *top = __builtin_frame_address(0);
    *(uint8_t *)set->entropy.state = secrets[0].bytes[0];
    paint_below();
    CHECK(begin_deeper(context, set, values) == ISOPOD_ERROR_ENTROPY);
    search_stack(top - 64, secrets, 2000);
    search_memory(set, context, secrets, SECRETS);
}

static UNSANITISED void leave_trace(const secret *secret) {
    volatile uint8_t left[64];
    for (uint32_t i = 0; i < 64; i++) {
        left[i] = secret->bytes[i % 32];
    }
    (void)left[0];
}

static UNSANITISED void leave_trace_deeper(const secret *secret) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    leave_trace(secret);
    held_gap = NULL;
}

/* The search finds what is there. */
static UNSANITISED void check_search(const secret *secrets) {
    uint8_t *top = __builtin_frame_address(0);
    check_case("the search itself", 0);
    CHECK(copies(secrets[1].bytes, 32, &secrets[1]) == 7);
    paint_below();
    leave_trace_deeper(&secrets[1]);
    CHECK(copies_below(top - 64, &secrets[1]) >= 8);
}

void test_traces(void) {
    static const isopod_suite *const suites[4] = {&isopod_suite_chacha20, &isopod_suite_shake256,
                                                  &isopod_suite_seal_shake256,
                                                  &isopod_suite_chacha20};
    for (uint32_t run = 0; run < 8; run++) {
        fixture set;
        secret secrets[SECRETS];
        uint32_t kind = ISOPOD_KEY_PUBLIC + run % 4;
        check_memory_reset();
        fixture_open(&set, &isopod_ckks_1024x1_sum, (isopod_key_kind)kind);
        fixture_configure(&set, suites[(kind + run / 4) % 4], run % 2 == 0 ? 1 : 8);
        isopod_values values = {fixture_values(set.n / 2, 0, 1), set.n / 2, ISOPOD_VALUES_FLOAT32};
        set.config.log2_bound = 0;
        fixture_workspace(&set);
        expected_secrets(&set, &values, secrets);
        check_search(secrets);
        check_run(&set, &values, secrets);
        check_refusal(&set, &values, secrets);
        fixture_configure(&set, suites[(kind + run / 4) % 4], run % 2 == 0 ? 1 : 8);
        set.config.log2_bound = 0;
        fixture_workspace(&set);
        check_abort(&set, &values, secrets);
    }
}
