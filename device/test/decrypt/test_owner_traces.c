/* No copy of an owner's secret stays in memory: the stack below the caller, the workspace and the
 * context are searched while a result is opened and decrypted, while keys are opened, made and
 * described, and after the end and the abort of each. */
#include "../../src/base/workspace.h"
#include "../../src/base/memory.h"
#include "../../src/random/sample.h"
#include "../harness/key_calls.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../harness/trace_search.h"

/* Bytes that are searched for of a long secret. */
#define SEARCHED 128u
#define FED_BYTES 3001u

typedef struct {
    fixture set;
    isopod_decrypt_config config;
    isopod_result result;
    isopod_decrypt context;
    isopod_decoded out;
    const uint8_t *item, *at;
    const uint32_t *transformed; /* -NTT(s), whatever the kind of the key */
    size_t item_bytes, fed;
    isopod_status status;
} decryption;

static void open_result(void *with) {
    decryption *run = with;
    run->status = isopod_result_open(&run->result, run->set.params, result_link_key(), run->item,
                                     run->item_bytes);
}

static void begin(void *with) {
    decryption *run = with;
    run->status = isopod_decrypt_unauthenticated_begin(&run->context, &run->config,
                                                       result_workspace(), &run->result.claim);
}

static void feed(void *with) {
    decryption *run = with;
    run->status = isopod_decrypt_unauthenticated_feed(&run->context, run->at, run->fed);
}

static void finish(void *with) {
    decryption *run = with;
    run->status = isopod_decrypt_unauthenticated_finish(&run->context, &run->out);
}

static void abort_run(void *with) {
    isopod_decrypt_abort(&((decryption *)with)->context);
}

/* Feeds both polynomials without searching. */
static void feed_all(decryption *run) {
    begin(run);
    CHECK(run->status == ISOPOD_OK);
    run->fed = run->result.c0_bytes;
    for (run->at = run->result.c0; run->status == ISOPOD_OK; run->at = run->result.c1) {
        feed(run);
        if (run->at == run->result.c1) {
            break;
        }
    }
    CHECK(run->status == ISOPOD_OK);
}

static const void *copy_of(const void *bytes, size_t length) {
    uint8_t *copy = check_memory(length);
    isopod_copy(copy, bytes, length);
    return copy;
}

/* Secrets of a result, from a run without searches: c0 + c1*s of the first prime, and values. */
static void expect_values(decryption *run, secret_list *secrets) {
    feed_all(run);
    add_secret(secrets, "residues", copy_of(isopod_workspace_room(result_workspace()), SEARCHED),
               SEARCHED);
    finish(run);
    CHECK(run->status == ISOPOD_OK);
    add_secret(secrets, "answer", copy_of(run->out.data, SEARCHED), SEARCHED);
}

static void search_all(const decryption *run, const secret_list *secrets) {
    search_memory(result_workspace()->memory, result_workspace()->bytes, secrets, secrets->count);
    search_memory(&run->context, sizeof run->context, secrets, secrets->count);
}

/* Feeds pieces that end anywhere and searches after some of them. */
static void feed_in_pieces(decryption *run, const uint8_t *polynomial, const secret_list *secrets) {
    size_t bytes = run->result.c0_bytes;
    for (size_t at = 0, step = 0; at < bytes; at += run->fed, step++) {
        run->at = polynomial + at;
        run->fed = bytes - at < FED_BYTES ? bytes - at : FED_BYTES;
        if (step < 2 || at + run->fed == bytes) {
            run_and_search(feed, run, secrets, (uint32_t)step);
        } else {
            feed(run);
        }
        CHECK(run->status == ISOPOD_OK);
    }
}

static void check_run(decryption *run, const secret_list *secrets) {
    run_and_search(begin, run, secrets, 1);
    CHECK(run->status == ISOPOD_OK);
    feed_in_pieces(run, run->result.c0, secrets);
    feed_in_pieces(run, run->result.c1, secrets);
    run_and_search(finish, run, secrets, 2);
    CHECK(run->status == ISOPOD_OK);
    search_all(run, secrets);
}

static void check_abort(decryption *run, const secret_list *secrets) {
    feed_all(run);
    run_and_search(abort_run, run, secrets, 3);
    search_all(run, secrets);
}

/* Refuses values beyond the bound after the whole computation and leaves no copy. */
static void check_refusal(decryption *run, const secret_list *secrets) {
    if (run->set.params->plain == NULL) {
        run->config.log2_bound = (int8_t)(run->config.log2_bound - 9);
        feed_all(run);
        run_and_search(finish, run, secrets, 4);
        CHECK(run->status == ISOPOD_ERROR_RESULT_BOUND);
        search_all(run, secrets);
        search_memory(run->out.data, (size_t)8 * run->out.capacity, secrets, secrets->count);
    }
}

/* Makes a result with one form of the key and opens another to decrypt it. */
static void prepare(decryption *run, const result_input *input, isopod_key_kind kind) {
    fixture *set = &run->set;
    const isopod_params *params = set->params;
    fixture_open(set, params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(set, &isopod_suite_chacha20, 1);
    run->item = result_item(set, input, &run->item_bytes);
    run->transformed = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    fixture_open(set, params, kind);
    run->config = result_config(set, input);
    uint32_t count = input->claim.columns;
    run->out =
        (isopod_decoded){check_memory((size_t)8 * count), count,
                         params->plain != NULL ? ISOPOD_VALUES_UINT32 : ISOPOD_VALUES_FLOAT64};
}

static void check_decryption(const isopod_params *params, const result_input *input,
                             isopod_key_kind kind) {
    static decryption run;
    secret_list secrets = {.count = 0};
    check_memory_reset();
    run.set.params = params;
    prepare(&run, input, kind);
    add_secret(&secrets, "link key", result_link_key(), ISOPOD_LINK_KEY_BYTES);
    add_secret(&secrets, "secret key", run.set.ternary, SEARCHED);
    add_secret(&secrets, "transformed key", run.transformed, SEARCHED);
    run_and_search(open_result, &run, &secrets, 0);
    CHECK(run.status == ISOPOD_OK);
    expect_values(&run, &secrets);
    check_search(&secrets.items[3]);
    check_run(&run, &secrets);
    check_abort(&run, &secrets);
    check_refusal(&run, &secrets);
}

/* A key pair being made. */
typedef struct {
    fixture set;
    const key_calls *calls;
    uint8_t first;
    isopod_entropy entropy;
    isopod_key_seeds seeds;
    isopod_key_pair_config config;
    isopod_workspace workspace;
    isopod_key_pair pair;
    uint32_t *ternary, *blob;
    uint8_t *out;
    isopod_status status;
} making;

static void make_secret(void *with) {
    making *run = with;
    isopod_keygen_secret(run->ternary, run->set.params, run->seeds.secret.bytes);
}

static void begin_pair(void *with) {
    making *run = with;
    run->status = run->calls->begin(&run->pair, &run->config, &run->workspace, &run->entropy);
}

static void next_of_pair(void *with) {
    making *run = with;
    isopod_key_piece piece;
    run->status = run->calls->next(&run->pair, run->out, 16384, &piece);
    if (run->status == ISOPOD_OK) {
        isopod_copy((uint8_t *)run->blob + ISOPOD_KEY_HEADER_BYTES + piece.offset, run->out,
                    piece.length);
    }
}

static void close_pair(void *with) {
    making *run = with;
    run->calls->close(&run->pair);
}

static void describe(void *with) {
    making *run = with;
    uint8_t key_id[ISOPOD_KEY_ID_BYTES] = {0};
    run->status = run->calls->head(run->blob, &run->pair, key_id);
}

static void open_key(void *with) {
    making *run = with;
    run->status = fixture_key_open(&run->set, 0);
}

/* Secrets that follow from the seeds: s, -NTT(s) and the noise. */
static void expect_key(making *run, secret_list *secrets) {
    isopod_stream *stream = check_memory(sizeof *stream);
    const isopod_stream_name name = {ISOPOD_DOMAIN_ERROR0, 0};
    int8_t *error = check_memory(run->set.n);
    isopod_stream_start(stream, &isopod_suite_chacha20, run->seeds.noise.bytes, name);
    isopod_sample_error(error, run->set.n, stream);
    run->calls->start(&run->pair, &run->config, &run->workspace, &run->seeds);
    uint32_t *blob =
        check_memory(ISOPOD_KEY_HEADER_BYTES +
                     (size_t)key_payload_bytes(run->set.params, ISOPOD_KEY_SECRET_NTT));
    key_payload(&run->pair, ISOPOD_KEY_SECRET_NTT, blob, 16384);
    run->calls->close(&run->pair);
    isopod_keygen_secret(run->ternary, run->set.params, run->seeds.secret.bytes);
    add_secret(secrets, "seed of the key", run->seeds.secret.bytes, 32);
    add_secret(secrets, "seed of the noise", run->seeds.noise.bytes, 32);
    add_secret(secrets, "noise", error, SEARCHED);
    add_secret(secrets, "secret key", run->ternary, SEARCHED);
    add_secret(secrets, "transformed key", blob + ISOPOD_KEY_HEADER_BYTES / 4, SEARCHED);
}

/* Sets the seeds that the source will give. */
static void take_seeds(making *run, uint8_t first) {
    const isopod_entropy entropy = {fixture_fill, &run->first, {0}, 0};
    run->first = first;
    run->entropy = entropy;
    CHECK(isopod_root_take_keys(&run->entropy, run->set.params, &run->seeds) == ISOPOD_OK);
    run->first = first;
    run->entropy = entropy;
}

static void prepare_keys(making *run, const isopod_params *params, uint8_t chunks) {
    fixture_tables(&run->set, params);
    run->calls = key_calls_of(params);
    size_t bytes = run->calls->workspace_bytes(run->set.n, chunks);
    const isopod_key_pair_config config = {params, &run->set.tables, chunks};
    run->workspace = (isopod_workspace){check_memory(bytes), bytes};
    run->config = config;
    run->ternary = check_memory(run->set.n / 4);
    run->out = check_memory(16384);
    run->blob = check_memory(ISOPOD_KEY_HEADER_BYTES +
                             (size_t)key_payload_bytes(params, ISOPOD_KEY_PUBLIC));
    take_seeds(run, 3);
}

static void check_payload(making *run, isopod_key_kind kind, const secret_list *secrets) {
    run->status = run->calls->payload(&run->pair, kind);
    CHECK(run->status == ISOPOD_OK);
    for (uint32_t step = 0; run->status == ISOPOD_OK; step++) {
        run_and_search(next_of_pair, run, secrets, 100 * kind + step);
    }
    CHECK(run->status == ISOPOD_DONE);
    run_and_search(describe, run, secrets, 100 * kind + 99);
    CHECK(run->status == ISOPOD_OK);
}

static void check_key_pair(const isopod_params *params, uint8_t chunks) {
    static making run;
    secret_list secrets = {.count = 0};
    check_memory_reset();
    prepare_keys(&run, params, chunks);
    uint8_t *entropy = check_memory(32);
    fixture_bytes(entropy, 3, 32);
    add_secret(&secrets, "entropy", entropy, 32);
    expect_key(&run, &secrets);
    check_search(&secrets.items[1]);
    run.ternary = check_memory(run.set.n / 4);
    run_and_search(make_secret, &run, &secrets, 0);
    run_and_search(begin_pair, &run, &secrets, 1);
    CHECK(run.status == ISOPOD_OK);
    search_memory(run.workspace.memory, run.workspace.bytes, &secrets, 3);
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        check_payload(&run, (isopod_key_kind)kind, &secrets);
    }
    run_and_search(close_pair, &run, &secrets, 2);
    search_memory(run.workspace.memory, run.workspace.bytes, &secrets, secrets.count);
    search_memory(&run.pair, sizeof run.pair, &secrets, secrets.count);
}

/* Searches after opening, which checks and hashes the whole blob. */
static void check_opening(const isopod_params *params, isopod_key_kind kind) {
    static making run;
    secret_list secrets = {.count = 0};
    check_memory_reset();
    fixture_open(&run.set, params, kind);
    const uint32_t *payload = run.set.blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t bytes = run.set.blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES],
             last = bytes % 136u; /* absorbed by the hash, not yet permuted */
    add_secret(&secrets, "payload", payload, SEARCHED);
    add_secret(&secrets, "end of the payload", payload + (bytes - last) / 4u, last);
    run_and_search(open_key, &run, &secrets, 300 + kind);
    CHECK(run.status == ISOPOD_OK);
}

#define SCALE(e) ((uint64_t)((e) + 1023) << 52)

static void check_decryptions(void) {
    static const result_input one = {"random", 20, 0, {SCALE(20), 0, 1, 512, 512, 1}, 0, 0, {0, 0}};
    static const result_input three = {"random", 26, 6,     {SCALE(26), 0, 1, 2048, 2048, 3},
                                       0,        0,  {0, 0}};
    static const result_input reals64 = {"random", 40, 3,     {SCALE(40), 0, 1, 4096, 4096, 1},
                                         0,        0,  {0, 0}};
    static const result_input integers = {"u32", 0, 0,     {SCALE(0), 0, 1, 1024, 1024, 1},
                                          0,     0, {0, 0}};
    static const result_input integers64 = {"u32", 0, 0,     {SCALE(0), 0, 1, 4096, 4096, 2},
                                            0,     0, {0, 0}};
    check_decryption(&isopod_ckks_1024x1_sum, &one, ISOPOD_KEY_SECRET_TERNARY);
    check_decryption(&isopod_ckks_1024x1_sum, &one, ISOPOD_KEY_SECRET_NTT);
    check_decryption(&isopod_ckks_4096x3_multiply, &three, ISOPOD_KEY_SECRET_NTT);
    check_decryption(&isopod_ckks_8192x3w_sum, &reals64, ISOPOD_KEY_SECRET_TERNARY);
    check_decryption(&isopod_bfv_1024x1_count, &integers, ISOPOD_KEY_SECRET_TERNARY);
    check_decryption(&isopod_bfv_4096x2w_seal_default, &integers64, ISOPOD_KEY_SECRET_NTT);
}

void test_owner_traces(void) {
    check_decryptions();
    check_key_pair(&isopod_ckks_1024x1_sum, 1);
    check_key_pair(&isopod_ckks_1024x1_sum, 8);
    check_key_pair(&isopod_bfv_4096x2w_seal_default, 4);
    for (uint32_t kind = ISOPOD_KEY_SECRET_TERNARY; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        check_opening(&isopod_ckks_1024x1_sum, (isopod_key_kind)kind);
        check_opening(&isopod_bfv_4096x2w_seal_default, (isopod_key_kind)kind);
    }
}
