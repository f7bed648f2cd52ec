#include "trace_encryption.h"

#include "../../src/base/memory.h"
#include "../../src/encrypt/method.h"
#include "../../src/random/sample.h"

#define PIECE_BYTES 16384u
/* Bytes that are searched for of a long secret, so that the search ends on slow machines. */
#define SEARCHED 256u

/* Sender and entropy of `set`, whose next bytes begin with `first`. */
static void set_back(fixture *again, const fixture *set, uint8_t *first, uint8_t value) {
    *first = value;
    again->sender = set->sender;
    again->entropy = set->entropy;
    again->entropy.state = first;
}

/* Root of an encryption whose values do not enter the hedge: that of an encryption which has begun,
 * once more. */
static void expected_root(const fixture *set, const isopod_values *values, isopod_noise_key *noise,
                          uint8_t start) {
    const uint32_t is_rounded = set->config.layout == ISOPOD_COEFFICIENTS_ROUNDED;
    const isopod_value_source source = {.values = *values};
    fixture again = *set;
    isopod_rounded context;
    uint8_t first;
    set_back(&again, set, &first, start);
    again.encryptor.entropy = &again.entropy;
    again.encryptor.sender = &again.sender;
    again.config.hedge_without_values = 1;
    (is_rounded ? rounded_workspace : fixture_workspace)(&again);
    CHECK((is_rounded ? rounded_begin(&again, &context, &source)
                      : fixture_begin(&again, &context.encryption, values)) == ISOPOD_OK);
    set_back(&again, set, &first, start);
    isopod_wipe(context.encryption.nonce, sizeof context.encryption.nonce);
    CHECK(isopod_root_take(&context.encryption, noise, values, 0) == ISOPOD_OK);
}

const int8_t *trace_expect(const fixture *set, const isopod_values *values, secret_list *secrets) {
    uint8_t *entropy = check_memory(32);
    isopod_noise_key *noise = check_memory(sizeof *noise);
    isopod_stream *stream = check_memory(sizeof *stream);
    int8_t *errors[2] = {check_memory(set->n), check_memory(set->n)};
    uint32_t *ternary = check_memory(set->n / 4);
    fixture_bytes(entropy, *(const uint8_t *)set->entropy.state, 32);
    expected_root(set, values, noise, entropy[0]);
    for (uint32_t e = 0; e < 2; e++) {
        isopod_stream_name name = {ISOPOD_DOMAIN_ERROR0 + e, 0};
        isopod_stream_start(stream, set->config.suite, noise->bytes, name);
        isopod_sample_error(errors[e], set->n, stream);
    }
    isopod_stream_name name = {ISOPOD_DOMAIN_TERNARY, 0};
    isopod_stream_start(stream, set->config.suite, noise->bytes, name);
    isopod_sample_ternary(ternary, set->n, stream);
    secrets->count = 0;
    add_secret(secrets, "entropy", entropy, 32);
    add_secret(secrets, "noise key", noise->bytes, 32);
    add_secret(secrets, "error e0", errors[0], SEARCHED);
    add_secret(secrets, "error e1", errors[1], SEARCHED);
    add_secret(secrets, "ternary u", ternary, SEARCHED);
    add_secret(secrets, "secret key", set->ternary, SEARCHED);
    if (set->key.kind == ISOPOD_KEY_SECRET_NTT) {
        add_secret(secrets, "transformed key", set->blob + ISOPOD_KEY_HEADER_BYTES / 4, SEARCHED);
    }
    return errors[0];
}

/* The encryption in progress that operations get. */
typedef struct {
    const fixture *set;
    const isopod_values *values;
    isopod_encryption *context;
    uint8_t *out;
    isopod_status status;
} encryption;

static void begin(void *with) {
    encryption *run = with;
    run->status = fixture_begin(run->set, run->context, run->values);
}

static void next(void *with) {
    encryption *run = with;
    size_t length;
    run->status = isopod_encryption_next(run->context, run->out, PIECE_BYTES, &length);
}

static void abort_run(void *with) {
    isopod_encryption_abort(((encryption *)with)->context);
}

/* Searches everywhere for the first `count` secrets. */
static void search_all(const encryption *run, const secret_list *secrets, uint32_t count) {
    const isopod_workspace *workspace = &run->set->encryptor.workspace;
    search_memory(workspace->memory, workspace->bytes, secrets, count);
    search_memory(run->context, sizeof *run->context, secrets, count);
}

/* Searches for keys and entropy while the encryption runs, afterwards for everything. */
static void check_run(encryption *run, const secret_list *secrets) {
    run_and_search(begin, run, secrets, 0);
    CHECK(run->status == ISOPOD_OK);
    search_all(run, secrets, 2);
    for (uint32_t step = 1; run->status == ISOPOD_OK; step++) {
        run_and_search(next, run, secrets, step);
    }
    CHECK(run->status == ISOPOD_DONE);
    search_all(run, secrets, secrets->count);
}

/* Allows the same entropy again. */
static void repeat_entropy(const encryption *run, const secret_list *secrets) {
    *(uint8_t *)run->set->entropy.state = secrets->items[0].bytes[0];
}

/* Refuses a source that repeats itself, after the library has read the entropy. */
static void check_refusal(encryption *run, const secret_list *secrets) {
    repeat_entropy(run, secrets);
    run_and_search(begin, run, secrets, 2000);
    CHECK(run->status == ISOPOD_ERROR_ENTROPY);
    search_all(run, secrets, secrets->count);
}

/* Aborts an encryption in the middle of a chunk. */
static void check_abort(encryption *run, const secret_list *secrets) {
    begin(run);
    CHECK(run->status == ISOPOD_OK);
    next(run);
    CHECK(run->status == ISOPOD_OK);
    run_and_search(abort_run, run, secrets, 1000);
    search_all(run, secrets, secrets->count);
}

void trace_encryption(fixture *set, const isopod_values *values, const secret_list *secrets) {
    encryption run = {set, values, check_memory(sizeof *run.context), check_memory(PIECE_BYTES),
                      ISOPOD_OK};
    set->config.hedge_without_values = 1;
    check_search(&secrets->items[1]);
    check_run(&run, secrets);
    repeat_entropy(&run, secrets);
    set->entropy.fingerprint[0] ^= 1u; /* so that the repetition is not noticed */
    set->sender.sequence--;
    check_abort(&run, secrets);
    check_refusal(&run, secrets);
}
