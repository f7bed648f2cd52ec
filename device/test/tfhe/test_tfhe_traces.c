/* No copy of a secret of TFHE stays in memory: the stack below the caller, the workspace and the
 * context are searched for the bytes of the entropy, of the noise key, of errors, of u and of the
 * secret key in both forms, while an encryption runs and after its end, abort and refusal. */
#include "../../src/base/memory.h"
#include "../../src/tag/hedge.h"
#include "../../src/tfhe/error/error.h"
#include "../../src/tfhe/ring/ring.h"
#include "../../src/random/root.h"
#include "../../src/tfhe/tfhe_blob.h"
#include "../../src/tfhe/tfhe_header.h"
#include "../../src/tfhe/tfhe_mask.h"
#include "../../src/tfhe/tfhe_small.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../harness/trace_search.h"

#define PIECE_BYTES 4096u
#define SAMPLED_BYTES 128u

/* The hedge of the header alone. */
static void expected_hedge(uint8_t *out, const tfhe_fixture *set, const isopod_tfhe_values *values,
                           const isopod_frame_name *name) {
    uint8_t description[ISOPOD_TFHE_FRAME_HEADER_MOST + 16u];
    isopod_tfhe context = {.config = &set->config, .name = *name, .runs = values->count};
    isopod_tag hedge;
    for (uint32_t r = 0; r < values->count; r++) {
        context.counts[r] = values->runs[r].count;
        context.types[r] = values->runs[r].type;
    }
    isopod_hedge_start(&hedge, set->sender.key, name);
    isopod_hedge_describe(&hedge, description,
                          (size_t)(isopod_tfhe_fields(description, &context) - description));
    isopod_tag_finish(&hedge);
    isopod_copy(out, hedge.block, sizeof hedge.block);
}

/* Root of an encryption whose values do not enter the hedge. */
static void expected_root(const tfhe_fixture *set, const isopod_tfhe_values *values,
                          isopod_noise_key *noise) {
    uint8_t hedge[16];
    isopod_entropy source = set->entropy;
    uint8_t first = *(const uint8_t *)set->entropy.state, nonce[16];
    isopod_root_draft draft;
    const isopod_frame_name frame = {set->sender.device, set->sender.sequence, set->sender.epoch};
    expected_hedge(hedge, set, values, &frame);
    const isopod_root_name name = {&source,
                                   &frame,
                                   set->sender.key,
                                   isopod_tfhe_key_id(&set->key),
                                   set->params->set_id,
                                   hedge,
                                   1,
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

static void expected_secrets(const tfhe_fixture *set, const isopod_tfhe_values *values,
                             secret_list *secrets) {
    uint8_t *entropy = check_memory(32);
    isopod_noise_key *noise = check_memory(sizeof *noise);
    uint32_t *u = check_memory(512), *transformed = check_memory((size_t)4 * set->n);
    isopod_ntt ntt = isopod_ring_ntt(set->params, set->tables.twiddles);
    isopod_small key = {set->secret, set->params->secret};
    isopod_stream_name name = {ISOPOD_DOMAIN_TERNARY, 0};
    isopod_stream stream;
    fixture_bytes(entropy, *(const uint8_t *)set->entropy.state, 32);
    expected_root(set, values, noise);
    isopod_stream_start(&stream, set->config.suite->noise, noise->bytes, name);
    isopod_tfhe_sample_small(u, set->params, &stream);
    isopod_ring_transform(transformed, &key, &ntt);
    secrets->count = 0;
    add_secret(secrets, "entropy", entropy, 32);
    add_secret(secrets, "noise key", noise->bytes, 32);
    add_secret(secrets, "errors", first_errors(set, noise, ISOPOD_DOMAIN_ERROR0), SAMPLED_BYTES);
    add_secret(secrets, "mask errors", first_errors(set, noise, ISOPOD_DOMAIN_ERROR1),
               SAMPLED_BYTES);
    add_secret(secrets, "u", u, 256);
    add_secret(secrets, "secret key", set->secret, 256);
    add_secret(secrets, "transformed key", transformed, 256);
}

/* The encryption in progress that operations get. */
typedef struct {
    const tfhe_fixture *set;
    const isopod_tfhe_values *values;
    isopod_tfhe *context;
    uint8_t *out;
    isopod_status status;
} encryption;

static void begin(void *with) {
    encryption *run = with;
    run->status =
        isopod_tfhe_begin(run->context, &run->set->config, &run->set->encryptor, run->values);
}

static void next(void *with) {
    encryption *run = with;
    size_t length;
    run->status = isopod_tfhe_next(run->context, run->out, PIECE_BYTES, &length);
}

static void abort_run(void *with) {
    isopod_tfhe_abort(((encryption *)with)->context);
}

static void search_all(const encryption *run, const secret_list *secrets) {
    const isopod_workspace *workspace = &run->set->encryptor.workspace;
    search_memory(workspace->memory, workspace->bytes, secrets, secrets->count);
    search_memory(run->context, sizeof *run->context, secrets, secrets->count);
}

static void check_run(encryption *run, const secret_list *secrets) {
    run_and_search(begin, run, secrets, 0);
    CHECK(run->status == ISOPOD_OK);
    for (uint32_t step = 1; run->status == ISOPOD_OK; step++) {
        run_and_search(next, run, secrets, step);
    }
    CHECK(run->status == ISOPOD_DONE);
    search_all(run, secrets);
}

/* Refuses a source that repeats itself, after the library has read the entropy; then aborts after
 * the first piece. */
static void check_refusal_and_abort(encryption *run, tfhe_fixture *set,
                                    const secret_list *secrets) {
    *(uint8_t *)set->entropy.state = secrets->items[0].bytes[0];
    run_and_search(begin, run, secrets, 2000);
    CHECK(run->status == ISOPOD_ERROR_ENTROPY);
    search_all(run, secrets);
    *(uint8_t *)set->entropy.state = secrets->items[0].bytes[0];
    set->sender.sequence -= 2;
    set->entropy.poisoned = 0;
    set->entropy.fingerprint[0] ^= 1u; /* allows the same entropy again */
    begin(run);
    CHECK(run->status == ISOPOD_OK);
    next(run);
    CHECK(run->status == ISOPOD_OK);
    run_and_search(abort_run, run, secrets, 3000);
    search_all(run, secrets);
}

static void check_encryption(const isopod_tfhe_params *params, uint32_t way) {
    tfhe_fixture set;
    secret_list secrets;
    check_memory_reset();
    tfhe_fixture_open(&set, params, way);
    isopod_tfhe_values values = tfhe_fixture_values("1*40");
    encryption run = {&set, &values, check_memory(sizeof *run.context), check_memory(PIECE_BYTES),
                      ISOPOD_OK};
    set.config.hedge_without_values = 1;
    expected_secrets(&set, &values, &secrets);
    check_search(&secrets.items[1]);
    check_run(&run, &secrets);
    check_refusal_and_abort(&run, &set, &secrets);
}

/* A key pair being made. */
typedef struct {
    isopod_tfhe_keygen keygen;
    const uint8_t *seed;
    uint32_t *secret, *blob;
    isopod_tfhe_key_kind kind;
    isopod_status status;
} making;

static void make_secret(void *with) {
    making *run = with;
    isopod_tfhe_keygen_secret(run->secret, run->keygen.params, run->seed);
}

static void make_blob(void *with) {
    making *run = with;
    run->status = isopod_tfhe_keygen_blob(run->blob, &run->keygen, run->kind);
}

static void check_key_generation(const isopod_tfhe_params *params) {
    tfhe_fixture set;
    secret_list secrets;
    uint8_t *seeds = check_memory(96);
    tfhe_fixture_open(&set, params, ISOPOD_TFHE_KEY_SECRET);
    const isopod_tfhe_values values = tfhe_fixture_values("1*1");
    expected_secrets(&set, &values, &secrets); /* only the keys stay */
    secrets.items[0] = secrets.items[5];
    secrets.items[1] = secrets.items[6];
    secrets.count = 2;
    fixture_bytes(seeds, 0x60, 96); /* the fixture's seeds */
    add_secret(&secrets, "seed of the key", seeds, 32);
    add_secret(&secrets, "seed of the noise", seeds + 64, 32);
    size_t workspace = ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(set.n, set.word_bytes);
    making run = {
        {params, &set.tables, seeds + 32, seeds + 64, set.secret, check_memory(workspace)},
        seeds,
        check_memory(set.n / 4),
        check_memory(isopod_tfhe_blob_bytes(params, ISOPOD_TFHE_KEY_PUBLIC)),
        ISOPOD_TFHE_KEY_PUBLIC,
        ISOPOD_OK};
    run_and_search(make_secret, &run, &secrets, 4000);
    for (uint32_t kind = ISOPOD_TFHE_KEY_PUBLIC; kind <= ISOPOD_TFHE_KEY_SECRET_TRANSFORMED;
         kind++) {
        run.kind = (isopod_tfhe_key_kind)kind;
        run_and_search(make_blob, &run, &secrets, 4000 + kind);
        CHECK(run.status == ISOPOD_OK);
        search_memory(run.keygen.workspace, workspace, &secrets, secrets.count);
    }
}

void test_tfhe_traces(void) {
    static const uint8_t ways[5] = {ISOPOD_TFHE_KEY_PUBLIC, ISOPOD_TFHE_KEY_SECRET,
                                    ISOPOD_TFHE_KEY_SECRET_TRANSFORMED, TFHE_PREPARED, TFHE_STREAM};
    for (uint32_t s = 0; s < 2; s++) {
        for (uint32_t w = 0; w < 5; w++) {
            check_encryption(isopod_tfhe_sets[s], ways[w]);
        }
        check_memory_reset();
        check_key_generation(isopod_tfhe_sets[s]);
    }
}
