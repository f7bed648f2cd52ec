/* Two operations on one workspace, drained in turns: the first is refused before another byte, the
 * second gives what it gives alone, and giving up the first leaves the second its memory. */
#include "../../src/base/memory.h"
#include "../harness/check.h"
#include "../harness/key_calls.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"

#define PIECE_BYTES 64u
#define MOST_BYTES 65536u

/* An operation of which two contexts, 0 and 1, share a workspace. */
typedef struct {
    isopod_status (*begin)(uint32_t which);
    isopod_status (*next)(uint32_t which, uint8_t *out, size_t *length);
    void (*abort)(uint32_t which);
} operation;

static fixture set;
static tfhe_fixture bits;
static isopod_values values;
static isopod_tfhe_values runs;

/* Gives a context the same entropy and name whenever it begins. */
static void repeat(uint32_t which, isopod_entropy *entropy, isopod_sender *sender) {
    *(uint8_t *)entropy->state = (uint8_t)(3u + which);
    isopod_wipe(entropy->fingerprint, sizeof entropy->fingerprint);
    sender->sequence = 7u + which;
}

static isopod_encryption encryptions[2];

static isopod_status encryption_begin(uint32_t which) {
    repeat(which, &set.entropy, &set.sender);
    return fixture_begin(&set, &encryptions[which], &values);
}

static isopod_status encryption_next(uint32_t which, uint8_t *out, size_t *length) {
    return isopod_encryption_next(&encryptions[which], out, PIECE_BYTES, length);
}

static void encryption_abort(uint32_t which) {
    isopod_encryption_abort(&encryptions[which]);
}

static isopod_rounded rounded[2];

static isopod_status coefficients_begin(uint32_t which) {
    const isopod_value_source source = {.values = values};
    repeat(which, &set.entropy, &set.sender);
    return rounded_begin(&set, &rounded[which], &source);
}

static isopod_status coefficients_next(uint32_t which, uint8_t *out, size_t *length) {
    return isopod_rounded_next(&rounded[which], out, PIECE_BYTES, length);
}

static void coefficients_abort(uint32_t which) {
    isopod_rounded_abort(&rounded[which]);
}

static isopod_tfhe tfhe[2];

static isopod_status tfhe_begin(uint32_t which) {
    repeat(which, &bits.entropy, &bits.sender);
    return isopod_tfhe_begin(&tfhe[which], &bits.config, &bits.encryptor, &runs);
}

static isopod_status tfhe_next(uint32_t which, uint8_t *out, size_t *length) {
    return isopod_tfhe_next(&tfhe[which], out, PIECE_BYTES, length);
}

static void tfhe_abort(uint32_t which) {
    isopod_tfhe_abort(&tfhe[which]);
}

static isopod_key_pair pairs[2];
static isopod_key_pair_config pair_config;
static isopod_workspace pair_workspace;

static isopod_status pair_begin(uint32_t which) {
    const key_calls *calls = key_calls_of(set.params);
    repeat(which, &set.entropy, &set.sender);
    const isopod_status status =
        calls->begin(&pairs[which], &pair_config, &pair_workspace, &set.entropy);
    return status == ISOPOD_OK ? calls->payload(&pairs[which], ISOPOD_KEY_SECRET_TERNARY) : status;
}

static isopod_status pair_next(uint32_t which, uint8_t *out, size_t *length) {
    isopod_key_piece piece = {0, 0};
    const isopod_status status =
        key_calls_of(set.params)->next(&pairs[which], out, PIECE_BYTES, &piece);
    *length = piece.length;
    return status;
}

static void pair_abort(uint32_t which) {
    key_calls_of(set.params)->close(&pairs[which]);
}

/* Takes all that is left; its bytes, or 0. */
static size_t drain(const operation *of, uint32_t which, uint8_t *out) {
    size_t total = 0, length = 0;
    isopod_status status = ISOPOD_OK;
    while (status == ISOPOD_OK && total + PIECE_BYTES <= MOST_BYTES) {
        status = of->next(which, out + total, &length);
        total += length;
    }
    CHECK(status == ISOPOD_DONE);
    return status == ISOPOD_DONE ? total : 0;
}

/* Context 0 gives nothing and says why. */
static void expect_refusal(const operation *of) {
    uint8_t out[PIECE_BYTES];
    size_t length = 9;
    fixture_bytes(out, 0x10, sizeof out);
    CHECK(of->next(0, out, &length) == ISOPOD_ERROR_STATE && length == 0);
    CHECK(out[0] == 0x10 && out[PIECE_BYTES - 1] == 0x10 + PIECE_BYTES - 1);
}

/* `first`: pieces that context 0 gives before context 1 begins. */
static void check_turns(const char *name, const operation *of, uint32_t first) {
    uint8_t *alone = check_memory(MOST_BYTES), *shared = check_memory(MOST_BYTES);
    uint8_t piece[PIECE_BYTES];
    size_t length = 0;
    check_case(name, first);
    CHECK(of->begin(1) == ISOPOD_OK);
    const size_t bytes = drain(of, 1, alone);
    of->abort(1);
    CHECK(of->begin(0) == ISOPOD_OK);
    for (uint32_t i = 0; i < first; i++) {
        CHECK(of->next(0, piece, &length) == ISOPOD_OK && length > 0);
    }
    CHECK(of->begin(1) == ISOPOD_OK);
    expect_refusal(of);
    CHECK(of->next(1, shared, &length) == ISOPOD_OK && length > 0);
    expect_refusal(of);
    of->abort(0);
    CHECK(drain(of, 1, shared + length) + length == bytes);
    CHECK(isopod_equal(alone, shared, bytes));
    of->abort(1);
}

static void check_operation(const char *name, const operation *of) {
    for (uint32_t first = 0; first < 3; first++) {
        check_turns(name, of, first);
    }
}

static void open_encryption(const isopod_params *params, isopod_key_kind kind) {
    check_memory_reset();
    fixture_open(&set, params, kind);
    fixture_configure(&set, &isopod_suite_chacha20, 4);
    values = (isopod_values){fixture_values(set.n / 2, 0, 1), set.n / 2, ISOPOD_VALUES_FLOAT32};
}

static void check_encryptions(void) {
    static const operation words = {encryption_begin, encryption_next, encryption_abort};
    static const operation coefficients = {coefficients_begin, coefficients_next,
                                           coefficients_abort};
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        open_encryption(&isopod_ckks_1024x1_sum, (isopod_key_kind)kind);
        check_operation("encryption", &words);
        open_encryption(&isopod_ckks_2048x1_air, (isopod_key_kind)kind);
        rounded_configure(&set);
        check_operation("rounded", &coefficients);
    }
}

static void check_tfhe(void) {
    static const operation of = {tfhe_begin, tfhe_next, tfhe_abort};
    static const uint8_t ways[5] = {ISOPOD_TFHE_KEY_PUBLIC, ISOPOD_TFHE_KEY_SECRET,
                                    ISOPOD_TFHE_KEY_SECRET_TRANSFORMED, TFHE_PREPARED, TFHE_STREAM};
    for (uint32_t w = 0; w < 5; w++) {
        check_memory_reset();
        tfhe_fixture_open(&bits, &isopod_tfhe_1024_tuniform, ways[w]);
        runs = tfhe_fixture_values("1*900");
        check_operation("tfhe", &of);
    }
}

static void check_key_pairs(void) {
    static const operation of = {pair_begin, pair_next, pair_abort};
    open_encryption(&isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    const size_t bytes = key_calls_of(set.params)->workspace_bytes(set.n, 4);
    pair_config = (isopod_key_pair_config){set.params, &set.tables, 4};
    pair_workspace = (isopod_workspace){check_memory(bytes), bytes};
    check_operation("key pair", &of);
}

static isopod_status feed(isopod_decrypt *context, const uint8_t *bytes, size_t length) {
    return isopod_decrypt_unauthenticated_feed(context, bytes, length);
}

/* Decryptions take pieces instead of giving them. */
static void check_decryptions(void) {
    static const result_input input = {.pattern = "f32",
                                       .log2_scale = 20,
                                       .claim = {(uint64_t)(1023 + 20) << 52, 0, 1, 512, 512, 1}};
    isopod_decrypt contexts[2];
    isopod_result result;
    size_t bytes;
    open_encryption(&isopod_ckks_1024x1_sum, ISOPOD_KEY_SECRET_NTT);
    uint8_t *item = result_item(&set, &input, &bytes);
    const isopod_decrypt_config config = result_config(&set, &input);
    const isopod_decoded alone = {check_memory(2048), 512, ISOPOD_VALUES_FLOAT32};
    const isopod_decoded shared = {check_memory(2048), 512, ISOPOD_VALUES_FLOAT32};
    const isopod_workspace *memory = result_workspace();
    check_case("decryption", 0);
    CHECK(isopod_result_open(&result, set.params, result_link_key(), item, bytes) == ISOPOD_OK);
    CHECK(isopod_decrypt_result(&contexts[1], &config, memory, &result, &alone) == ISOPOD_OK);
    for (uint32_t c = 0; c < 2; c++) {
        CHECK(isopod_decrypt_unauthenticated_begin(&contexts[c], &config, memory, &result.claim) ==
              ISOPOD_OK);
        CHECK(feed(&contexts[c], result.c0, 100) == ISOPOD_OK);
    }
    CHECK(feed(&contexts[0], result.c0 + 100, 100) == ISOPOD_ERROR_STATE);
    CHECK(isopod_decrypt_unauthenticated_finish(&contexts[0], &shared) == ISOPOD_ERROR_STATE);
    isopod_decrypt_abort(&contexts[0]);
    CHECK(feed(&contexts[1], result.c0 + 100, result.c0_bytes - 100) == ISOPOD_OK);
    CHECK(feed(&contexts[1], result.c1, result.c1_bytes) == ISOPOD_OK);
    CHECK(isopod_decrypt_unauthenticated_finish(&contexts[1], &shared) == ISOPOD_OK);
    CHECK(isopod_equal(alone.data, shared.data, 2048));
}

void test_workspaces(void) {
    check_encryptions();
    check_tfhe();
    check_key_pairs();
    check_decryptions();
}
