/* No copy of a secret of rounded coefficients stays on the stack after any call, nor anywhere after
 * the end, an abort or a refusal. While coefficients leave, the workspace holds the noise key,
 * since the noise is sampled with them. */
#include "../harness/fixture.h"
#include "../harness/tests.h"
#include "../harness/trace_encryption.h"

typedef struct {
    const fixture *set;
    isopod_value_source source;
    isopod_rounded context;
    uint8_t out[64];
    isopod_status status;
} encryption;

static void begin(void *with) {
    encryption *run = with;
    run->status = rounded_begin(run->set, &run->context, &run->source);
}

static void next(void *with) {
    encryption *run = with;
    size_t length;
    run->status = isopod_rounded_next(&run->context, run->out, sizeof run->out, &length);
}

static void abort_run(void *with) {
    isopod_rounded_abort(&((encryption *)with)->context);
}

static void search_all(const encryption *run, const secret_list *secrets, uint32_t count) {
    const isopod_workspace *workspace = &run->set->encryptor.workspace;
    search_memory(workspace->memory, workspace->bytes, secrets, count);
    search_memory(&run->context, sizeof run->context, secrets, count);
}

/* Entropy stays nowhere from the beginning on, everything else until the end. */
static void check_run(encryption *run, const secret_list *secrets) {
    run_and_search(begin, run, secrets, 0);
    CHECK(run->status == ISOPOD_OK);
    search_all(run, secrets, 1);
    for (uint32_t step = 1; run->status == ISOPOD_OK && step < 5; step++) {
        run_and_search(next, run, secrets, step);
    }
    while (run->status == ISOPOD_OK) {
        next(run);
    }
    CHECK(run->status == ISOPOD_DONE);
    search_all(run, secrets, secrets->count);
}

static void check_abort(encryption *run, const secret_list *secrets) {
    begin(run);
    CHECK(run->status == ISOPOD_OK);
    next(run);
    run_and_search(abort_run, run, secrets, 1000);
    search_all(run, secrets, secrets->count);
}

/* Allows the same entropy and sender's number again. */
static void repeat(fixture *set, const secret_list *secrets) {
    *(uint8_t *)set->entropy.state = secrets->items[0].bytes[0];
    set->sender.sequence--;
    for (uint32_t i = 0; i < sizeof set->entropy.fingerprint; i++) {
        set->entropy.fingerprint[i] = 0;
    }
}

static void check_values(fixture *set, const isopod_values *values) {
    encryption *run = check_memory(sizeof *run);
    secret_list secrets;
    run->set = set;
    run->source.values = *values;
    set->config.hedge_without_values = 1;
    (void)trace_expect(set, values, &secrets);
    add_secret(&secrets, "values", values->data, 256);
    check_run(run, &secrets);
    repeat(set, &secrets);
    check_abort(run, &secrets);
}

void test_rounded_traces(void) {
    for (uint32_t run = 0; run < 8; run++) {
        fixture set;
        check_memory_reset();
        fixture_open(&set, run < 4 ? &isopod_ckks_2048x2_air : &isopod_bfv_1024x1_count,
                     (isopod_key_kind)(ISOPOD_KEY_PUBLIC + run % 4));
        fixture_configure(&set, run % 3 == 0 ? &isopod_suite_shake256 : &isopod_suite_chacha20,
                          run % 2 == 0 ? 1 : 2);
        rounded_configure(&set);
        uint32_t *integers = check_memory((size_t)4 * set.n);
        for (uint32_t i = 0; i < set.n; i++) {
            integers[i] = (77u * i + 5u) * (i + 9u) % 6000u;
        }
        const isopod_values reals = {fixture_values(set.n, 0, 1), set.n, ISOPOD_VALUES_FLOAT32};
        const isopod_values whole = {integers, set.n, ISOPOD_VALUES_UINT32};
        set.config.log2_bound = 0;
        check_values(&set, run < 4 ? &reals : &whole);
    }
}
