/* Finished calls leave only zeros on a board's stack below the library's own short frames. */
#include "../../src/base/memory.h"
#include "../harness/check.h"
#include "../harness/key_calls.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../harness/trace_search.h"

/* Frames of this file and of calls of the library that handle no secret. */
#define SHALLOW 320u
/* Words that wiping itself saves below: its callers' registers, at most three times. */
#define SAVED 20u

static UNSANITISED void check_stack(const char *name, uint32_t number, operation *run, void *with) {
    const uint8_t *top = __builtin_frame_address(0);
    uint32_t depth;
    check_case(name, number);
    paint_below();
    run_deeper(run, with);
    uint32_t found = left_below(top, GAP + SHALLOW, &depth);
    CHECK(found <= SAVED);
    if (found > SAVED) {
        platform_write(name);
        check_report(" case", number);
        check_report("left at", depth - GAP);
        check_report("words", found);
    }
}

typedef struct {
    fixture set;
    isopod_values values;
} encryption;

static void encrypt(void *with) {
    static isopod_encryption context;
    static uint8_t out[512];
    const encryption *what = with;
    size_t length;
    isopod_status status = fixture_begin(&what->set, &context, &what->values);
    while (status == ISOPOD_OK) {
        status = isopod_encryption_next(&context, out, sizeof out, &length);
    }
    CHECK(status == ISOPOD_DONE);
}

static void check_encryption(const isopod_params *params, const isopod_suite *suite, uint8_t chunks,
                             uint8_t layout) {
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        static encryption what;
        check_memory_reset();
        fixture_open(&what.set, params, (isopod_key_kind)kind);
        fixture_configure(&what.set, suite, chunks);
        fixture_layout(&what.set, layout);
        fixture_workspace(&what.set);
        what.values =
            (isopod_values){check_memory((size_t)4 * what.set.n), what.set.n / 2,
                            params->plain != NULL ? ISOPOD_VALUES_UINT32 : ISOPOD_VALUES_INT32};
        check_stack(params->name, 100 * chunks + kind, encrypt, &what);
    }
}

typedef struct {
    isopod_decrypt_config config;
    const uint8_t *item;
    size_t bytes;
    isopod_result result;
    isopod_decoded out;
} decryption;

static void open_result(void *with) {
    decryption *what = with;
    CHECK(isopod_result_open(&what->result, what->config.params, result_link_key(), what->item,
                             what->bytes) == ISOPOD_OK);
}

static void decrypt(void *with) {
    static isopod_decrypt context;
    decryption *what = with;
    CHECK(isopod_decrypt_result(&context, &what->config, result_workspace(), &what->result,
                                &what->out) == ISOPOD_OK);
}

static void check_decryption(const isopod_params *params, const result_input *input,
                             isopod_key_kind kind) {
    static fixture maker, set;
    static decryption what;
    check_memory_reset();
    fixture_open(&maker, params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&maker, &isopod_suite_chacha20, 1);
    what.item = result_item(&maker, input, &what.bytes);
    fixture_open(&set, params, kind);
    what.config = result_config(&set, input);
    what.out = (isopod_decoded){check_memory((size_t)8 * input->claim.columns),
                                input->claim.columns, ISOPOD_VALUES_INT32};
    check_stack("opened result", kind, open_result, &what);
    check_stack(params->name, kind, decrypt, &what);
}

static void make_pair(void *with) {
    static isopod_key_pair pair;
    static uint8_t out[512];
    const isopod_key_pair_config *config = with;
    const key_calls *calls = key_calls_of(config->params);
    isopod_key_piece piece;
    static isopod_workspace workspace;
    static isopod_entropy entropy;
    static uint8_t first;
    size_t bytes =
        calls->workspace_bytes(UINT32_C(1) << config->params->log2_ring_degree, config->chunks);
    first = 3;
    entropy = (isopod_entropy){fixture_fill, &first, {0}, 0};
    workspace = (isopod_workspace){check_memory(bytes), bytes};
    isopod_status status = calls->begin(&pair, config, &workspace, &entropy);
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        status = calls->payload(&pair, (isopod_key_kind)kind);
        while (status == ISOPOD_OK) {
            status = calls->next(&pair, out, sizeof out, &piece);
        }
    }
    CHECK(status == ISOPOD_DONE);
    calls->close(&pair);
}

static void check_key_pair(const isopod_params *params, uint8_t chunks) {
    static fixture set;
    check_memory_reset();
    fixture_tables(&set, params);
    isopod_key_pair_config config = {params, &set.tables, chunks};
    check_stack(params->name, 300u + chunks, make_pair, &config);
}

/* A key in a blob, and a key pair with its memory. */
typedef struct {
    fixture set;
    const key_calls *calls;
    isopod_key_pair pair; /* only its kind and set */
    isopod_key_pair_config config;
    uint8_t seed[32];
    uint32_t *ternary;
} making;

static void make_secret(void *with) {
    making *what = with;
    isopod_keygen_secret(what->ternary, what->set.params, what->seed);
}

static void open_key(void *with) {
    CHECK(fixture_key_open(&((making *)with)->set, 0) == ISOPOD_OK);
}

static void refuse_key(void *with) {
    CHECK(fixture_key_open(&((making *)with)->set, 1) == ISOPOD_ERROR_KEY_KIND);
}

static void describe_key(void *with) {
    making *what = with;
    uint8_t key_id[ISOPOD_KEY_ID_BYTES] = {0};
    CHECK(what->calls->head(what->set.blob, &what->pair, key_id) == ISOPOD_OK);
}

static void check_key(const isopod_params *params, isopod_key_kind kind) {
    static making what;
    check_memory_reset();
    fixture_open(&what.set, params, kind);
    what.calls = key_calls_of(params);
    what.ternary = check_memory(what.set.n / 4);
    what.config.params = params;
    what.pair.config = &what.config;
    what.pair.kind = kind;
    fixture_bytes(what.seed, 0x60, sizeof what.seed);
    check_stack("secret key", what.set.n, make_secret, &what);
    check_stack("opened key", what.set.n + kind, open_key, &what);
    check_stack("header", what.set.n + kind, describe_key, &what);
    check_stack("not a public key", what.set.n + kind, refuse_key, &what);
}

typedef struct {
    tfhe_fixture set;
    isopod_tfhe_values values;
} tfhe_encryption;

static void encrypt_tfhe(void *with) {
    static isopod_tfhe context;
    static uint8_t out[512];
    tfhe_encryption *what = with;
    size_t length;
    isopod_status status =
        isopod_tfhe_begin(&context, &what->set.config, &what->set.encryptor, &what->values);
    while (status == ISOPOD_OK) {
        status = isopod_tfhe_next(&context, out, sizeof out, &length);
    }
    CHECK(status == ISOPOD_DONE);
}

static void check_tfhe(const isopod_tfhe_params *params) {
    static const uint8_t ways[5] = {ISOPOD_TFHE_KEY_PUBLIC, ISOPOD_TFHE_KEY_SECRET,
                                    ISOPOD_TFHE_KEY_SECRET_TRANSFORMED, TFHE_PREPARED, TFHE_STREAM};
    for (uint32_t w = 0; w < 5; w++) {
        static tfhe_encryption what;
        check_memory_reset();
        tfhe_fixture_open(&what.set, params, ways[w]);
        what.values = tfhe_fixture_values("1*40+2*3");
        check_stack(params->name, ways[w], encrypt_tfhe, &what);
    }
}

typedef struct {
    isopod_tfhe_keygen keygen;
    const uint8_t *seeds;
    uint32_t *secret, *blob;
    isopod_tfhe_key_kind kind;
} tfhe_making;

static void make_tfhe_secret(void *with) {
    tfhe_making *what = with;
    isopod_tfhe_keygen_secret(what->secret, what->keygen.params, what->seeds);
}

static void make_tfhe_blob(void *with) {
    tfhe_making *what = with;
    CHECK(isopod_tfhe_keygen_blob(what->blob, &what->keygen, what->kind) == ISOPOD_OK);
}

static void check_tfhe_keys(const isopod_tfhe_params *params) {
    static tfhe_fixture set;
    check_memory_reset();
    tfhe_fixture_open(&set, params, ISOPOD_TFHE_KEY_SECRET);
    uint8_t *seeds = check_memory(96);
    fixture_bytes(seeds, 0x60, 96);
    void *workspace = check_memory(ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(set.n, set.word_bytes));
    uint32_t *blob = check_memory(isopod_tfhe_blob_bytes(params, ISOPOD_TFHE_KEY_PUBLIC));
    tfhe_making what = {{params, &set.tables, seeds + 32, seeds + 64, set.secret, workspace},
                        seeds,
                        check_memory(set.n / 4),
                        blob,
                        ISOPOD_TFHE_KEY_PUBLIC};
    check_stack("TFHE secret key", set.n, make_tfhe_secret, &what);
    for (uint32_t kind = ISOPOD_TFHE_KEY_PUBLIC; kind <= ISOPOD_TFHE_KEY_SECRET_TRANSFORMED;
         kind++) {
        what.kind = (isopod_tfhe_key_kind)kind;
        check_stack("TFHE key", kind, make_tfhe_blob, &what);
    }
}

typedef struct {
    decryption decryption;
    isopod_linear_verifier verifier;
} proof;

static void open_verifier(void *with) {
    proof *what = with;
    CHECK(isopod_linear_verifier_open(&what->verifier, what->decryption.config.key, 1, 2) ==
          ISOPOD_OK);
}

static void prove(void *with) {
    static isopod_decrypt context;
    proof *what = with;
    decryption *of = &what->decryption;
    CHECK(isopod_decrypt_result(&context, &of->config, result_workspace(), &of->result, &of->out) ==
          ISOPOD_ERROR_UNPROVED);
}

/* A sum whose linear tag is none of its frames'. */
static void check_proof(void) {
    static const uint8_t tag[ISOPOD_LINEAR_TAG_BYTES] = {1, 0, 0, 0, 0, 0, 0, 2u << 5};
    static const result_proof of_sum = {"sum", result_ranges, tag};
    static const result_input input = {.pattern = "s32",
                                       .claim = {0x3ff0000000000000u, 0, 3, 5, 100, 1},
                                       .layout = ISOPOD_COEFFICIENTS_ROUNDED};
    static fixture set, ternary;
    static proof what;
    check_memory_reset();
    fixture_open(&set, &isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&set, &isopod_suite_chacha20, 1);
    fixture_open(&ternary, &isopod_bfv_1024x1_count, ISOPOD_KEY_SECRET_TERNARY);
    result_prove(&of_sum);
    what.decryption.item = result_item(&set, &input, &what.decryption.bytes);
    result_prove(NULL);
    what.decryption.config = result_config(&ternary, &input);
    what.decryption.config.verifier = &what.verifier;
    what.decryption.out = (isopod_decoded){check_memory(60), 15, ISOPOD_VALUES_INT32};
    check_stack("verifier", 0, open_verifier, &what);
    check_stack("tagged result", 0, open_result, &what.decryption);
    check_stack("proof", 0, prove, &what);
}

static void check_decryptions(void) {
    static const result_input one = {"random", 20, 0,     {0x4130000000000000u, 0, 1, 512, 512, 1},
                                     0,        0,  {0, 0}};
    static const result_input three = {
        "random", 26, 6, {0x4190000000000000u, 0, 1, 512, 512, 3}, 0, 0, {0, 0}};
    static const result_input reals64 = {
        "random", 40, 3, {0x4270000000000000u, 0, 1, 512, 512, 1}, 0, 0, {0, 0}};
    static const result_input integers = {"u32", 0, 0,     {0x3ff0000000000000u, 0, 1, 512, 512, 1},
                                          0,     0, {0, 0}};
    static const result_input both = {"u32", 0, 0,     {0x3ff0000000000000u, 0, 1, 512, 512, 2},
                                      0,     0, {0, 0}};
    check_decryption(&isopod_ckks_1024x1_sum, &one, ISOPOD_KEY_SECRET_TERNARY);
    check_decryption(&isopod_ckks_4096x3_multiply, &three, ISOPOD_KEY_SECRET_NTT);
    check_decryption(&isopod_ckks_8192x3w_sum, &reals64, ISOPOD_KEY_SECRET_NTT);
    check_decryption(&isopod_ckks_8192x3w_sum, &reals64, ISOPOD_KEY_SECRET_TERNARY);
    check_decryption(&isopod_bfv_1024x1_count, &integers, ISOPOD_KEY_SECRET_NTT);
    check_decryption(&isopod_bfv_4096x2w_seal_default, &both, ISOPOD_KEY_SECRET_NTT);
}

static void check_keys(void) {
    static const isopod_params *const sets[2] = {&isopod_ckks_1024x1_sum,
                                                 &isopod_bfv_4096x2w_seal_default};
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        check_key_pair(sets[0], chunks);
    }
    check_key_pair(sets[1], 4);
    for (uint32_t s = 0; s < 2; s++) {
        check_key(sets[s], ISOPOD_KEY_SECRET_TERNARY);
        check_key(sets[s], ISOPOD_KEY_SECRET_NTT);
    }
    check_tfhe_keys(&isopod_tfhe_1024_tuniform);
    check_tfhe_keys(&isopod_tfhe_2048_tfhe_rs);
}

void test_stack(void) {
    for (uint8_t chunks = 1; chunks <= 8; chunks *= 2) {
        check_encryption(&isopod_ckks_1024x1_sum, &isopod_suite_chacha20, chunks, ISOPOD_SLOTS);
        check_encryption(&isopod_bfv_1024x1_count, &isopod_suite_chacha20, chunks, ISOPOD_SLOTS);
    }
    check_encryption(&isopod_ckks_1024x1_sum, &isopod_suite_shake256, 1, ISOPOD_COMPLEX);
    check_encryption(&isopod_ckks_1024x1_sum, &isopod_suite_shake256, 8, ISOPOD_SLOTS);
    check_encryption(&isopod_ckks_1024x1_sum, &isopod_suite_seal_shake256, 4, ISOPOD_SLOTS);
    check_encryption(&isopod_bfv_1024x1_count, &isopod_suite_shake256, 8, ISOPOD_SLOTS);
    check_encryption(&isopod_bfv_4096x2w_seal_default, &isopod_suite_chacha20, 8, ISOPOD_SLOTS);
    check_encryption(&isopod_bfv_4096x2w_seal_default, &isopod_suite_shake256, 4, ISOPOD_SLOTS);
    check_encryption(&isopod_bfv_4096x2w_seal_default, &isopod_suite_seal_shake256, 1,
                     ISOPOD_SLOTS);
    check_encryption(&isopod_ckks_8192x3w_sum, &isopod_suite_chacha20, 1, ISOPOD_SLOTS);
    check_encryption(&isopod_ckks_8192x3w_sum, &isopod_suite_shake256, 4, ISOPOD_COMPLEX);
    check_decryptions();
    check_proof();
    check_keys();
    check_tfhe(&isopod_tfhe_1024_tuniform);
    check_tfhe(&isopod_tfhe_2048_tfhe_rs);
}
