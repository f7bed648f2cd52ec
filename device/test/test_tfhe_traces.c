/* No copy of a secret of TFHE stays in memory: the stack below the caller, the workspace and the
 * context are searched for the bytes of the entropy, of the noise key, of errors, of u and of the
 * secret key in both forms, while an encryption runs and after its end, abort and refusal. */
#include "../src/error.h"
#include "../src/ring.h"
#include "../src/root.h"
#include "../src/tfhe_mask.h"
#include "../src/tfhe_small.h"
#include "check.h"
#include "tests.h"
#include "tfhe_fixture.h"
#include "trace_search.h"

#define SECRETS 7u
#define SAMPLED_BYTES 128u

static void expected_root(const tfhe_fixture *set, isopod_noise_key *noise) {
    isopod_entropy source = set->entropy;
    uint8_t first = *(const uint8_t *)set->entropy.state, nonce[16];
    isopod_root_draft draft;
    const isopod_root_name name = {&source, set->key.blob, set->params->set_id, 1,
                                   set->key.kind <= ISOPOD_TFHE_KEY_PUBLIC_SEEDED ? 5 : 6};
    source.state = &first;
    CHECK(isopod_root_start(&draft, &name) == ISOPOD_OK);
    isopod_keccak_squeeze(&draft.sponge, nonce, sizeof nonce);
    isopod_keccak_squeeze(&draft.sponge, noise->bytes, sizeof noise->bytes);
}

static int32_t *first_errors(const tfhe_fixture *set, const isopod_noise_key *noise,
                             uint32_t domain) {
    int32_t *errors = check_memory(SAMPLED_BYTES);
    uint32_t words[ISOPOD_GAUSSIAN_WORDS] = {0};
    isopod_stream_name name = {domain, 0};
    isopod_stream stream;
    isopod_stream_start(&stream, set->config.suite->noise, noise->bytes, name);
    isopod_stream_words(&stream, words, set->params->tuniform + 2u);
    isopod_error_tuniform(errors, set->params->tuniform, words);
    return errors;
}

static void expected_secrets(const tfhe_fixture *set, secret out[SECRETS]) {
    uint8_t *entropy = check_memory(32);
    isopod_noise_key *noise = check_memory(sizeof *noise);
    uint32_t *u = check_memory(512), *transformed = check_memory((size_t)4 * set->n);
    isopod_ntt ntt = isopod_ring_ntt(set->params, set->twiddles);
    isopod_small key = {set->secret, set->params->secret};
    isopod_stream_name name = {ISOPOD_DOMAIN_TERNARY, 0};
    isopod_stream stream;
    fixture_bytes(entropy, *(const uint8_t *)set->entropy.state, 32);
    expected_root(set, noise);
    isopod_stream_start(&stream, set->config.suite->noise, noise->bytes, name);
    isopod_tfhe_sample_small(u, set->params, &stream);
    isopod_ring_transform(transformed, &key, &ntt);
    const secret found[SECRETS] = {
        {"entropy", entropy, 32},
        {"noise key", noise->bytes, 32},
        {"errors", (uint8_t *)first_errors(set, noise, ISOPOD_DOMAIN_ERROR0), SAMPLED_BYTES},
        {"mask errors", (uint8_t *)first_errors(set, noise, ISOPOD_DOMAIN_ERROR1), SAMPLED_BYTES},
        {"u", (uint8_t *)u, 256},
        {"secret key", (const uint8_t *)set->secret, 256},
        {"transformed key", (uint8_t *)transformed, 256},
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

static void search_memory(const tfhe_fixture *set, const isopod_tfhe *context,
                          const secret *secrets) {
    for (uint32_t i = 0; i < SECRETS; i++) {
        check_case(secrets[i].name, 999);
        CHECK(copies(set->config.workspace, set->config.workspace_bytes, &secrets[i]) == 0);
        CHECK(copies((const uint8_t *)context, sizeof *context, &secrets[i]) == 0);
    }
}

static UNSANITISED isopod_status begin_deeper(isopod_tfhe *context, const tfhe_fixture *set,
                                              const isopod_tfhe_values *values) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    isopod_status status = isopod_tfhe_begin(context, &set->config, values);
    held_gap = NULL;
    return status;
}

static UNSANITISED isopod_status next_deeper(isopod_tfhe *context, uint8_t *out, size_t *length) {
    volatile uint8_t gap[GAP];
    held_gap = gap;
    isopod_status status = isopod_tfhe_next(context, out, 4096, length);
    held_gap = NULL;
    return status;
}

static UNSANITISED void check_run(tfhe_fixture *set, const isopod_tfhe_values *values,
                                  const secret *secrets) {
    isopod_tfhe *context = check_memory(sizeof *context);
    uint8_t *out = check_memory(4096), *top = __builtin_frame_address(0);
    size_t length;
    paint_below();
    isopod_status status = begin_deeper(context, set, values);
    search_stack(top - 64, secrets, 0);
    CHECK(status == ISOPOD_OK);
    for (uint32_t step = 1; status == ISOPOD_OK; step++) {
        paint_below();
        status = next_deeper(context, out, &length);
        search_stack(top - 64, secrets, step);
    }
    CHECK(status == ISOPOD_DONE);
    search_memory(set, context, secrets);
}

/* The source repeats itself: refused only after the library has read the entropy. Then given up
 * after the first piece. */
static UNSANITISED void check_refusal_and_abort(tfhe_fixture *set, const isopod_tfhe_values *values,
                                                const secret *secrets) {
    isopod_tfhe *context = check_memory(sizeof *context);
    uint8_t *out = check_memory(4096), *top = __builtin_frame_address(0);
    size_t length;
    *(uint8_t *)set->entropy.state = secrets[0].bytes[0];
    paint_below();
    CHECK(begin_deeper(context, set, values) == ISOPOD_ERROR_ENTROPY);
    search_stack(top - 64, secrets, 2000);
    search_memory(set, context, secrets);
    *(uint8_t *)set->entropy.state = secrets[0].bytes[0];
    set->entropy.counter--;
    set->entropy.poisoned = 0;
    set->entropy.fingerprint[0] ^= 1u; /* the same entropy again, on purpose */
    CHECK(begin_deeper(context, set, values) == ISOPOD_OK);
    CHECK(next_deeper(context, out, &length) == ISOPOD_OK);
    isopod_tfhe_abort(context);
    search_stack(top - 64, secrets, 3000);
    search_memory(set, context, secrets);
}

void test_tfhe_traces(void) {
    static const uint8_t ways[5] = {ISOPOD_TFHE_KEY_PUBLIC, ISOPOD_TFHE_KEY_SECRET,
                                    ISOPOD_TFHE_KEY_SECRET_TRANSFORMED, TFHE_PREPARED, TFHE_STREAM};
    for (uint32_t run = 0; run < 10; run++) {
        tfhe_fixture set;
        secret secrets[SECRETS];
        check_memory_reset();
        tfhe_fixture_open(&set, isopod_tfhe_sets[run / 5], ways[run % 5]);
        isopod_tfhe_values values = tfhe_fixture_values("1*40");
        expected_secrets(&set, secrets);
        check_run(&set, &values, secrets);
        check_refusal_and_abort(&set, &values, secrets);
    }
}
