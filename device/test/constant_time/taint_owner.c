/* Decryption of sealed results with the secret key and the link key undefined, and key pairs of
 * undefined entropy. */
#include "taint_owner.h"

#include <valgrind/memcheck.h>

#include "../../src/base/memory.h"
#include "../../src/holder/share.h"
#include "../harness/check.h"
#include "../holder/holder_input.h"
#include "../harness/key_calls.h"
#include "../harness/result_input.h"

/* At log2_bound 6 the larger set has 64-bit messages. */
typedef struct {
    const isopod_params *params;
    isopod_key_kind kind;
    result_input input;
    isopod_value_type type;
} owner_plan;

/* The bits of a float64 scale of 2^e, and of 1.5 * 2^e. */
#define SCALE(e) ((uint64_t)((e) + 1023) << 52)
#define ODD_SCALE(e) (SCALE(e) | (uint64_t)1 << 51)
#define SMALL &isopod_ckks_1024x1_sum
#define LARGE &isopod_ckks_4096x3_multiply
#define REALS64 &isopod_ckks_8192x3w_sum
#define INTEGERS &isopod_bfv_1024x1_count
#define LARGE_INTEGERS &isopod_bfv_4096x3_sum
#define INTEGERS64 &isopod_bfv_4096x2w_seal_default
#define NTT ISOPOD_KEY_SECRET_NTT
#define TERNARY ISOPOD_KEY_SECRET_TERNARY
#define SLOTS ISOPOD_SLOTS
#define COEFFICIENTS ISOPOD_COEFFICIENTS
#define ROUNDED ISOPOD_COEFFICIENTS_ROUNDED
#define NONE                                                                                       \
    { 0, 0 }

/* The first LEAN results have one prime of at most 28 bits. */
#define LEAN 3u
/* The result that is a sum of integers in rounded coefficients, under a ternary key. */
#define PROVED 11u
static const owner_plan plans[] = {
    {SMALL,
     NTT,
     {"random", 20, 0, {SCALE(20), 0, 1, 512, 512, 1}, 0, SLOTS, NONE},
     ISOPOD_VALUES_FLOAT32},
    {SMALL,
     TERNARY,
     {"random", 20, 0, {SCALE(20), 3, 50, 1, 7, 1}, 0, SLOTS, NONE},
     ISOPOD_VALUES_INT32},
    {SMALL,
     NTT,
     {"signs", 20, 0, {ODD_SCALE(20), 0, 1, 512, 512, 1}, 0, SLOTS, NONE},
     ISOPOD_VALUES_INT64},
    {LARGE,
     NTT,
     {"random", 26, 6, {SCALE(26), 0, 1, 2048, 2048, 2}, 0, SLOTS, NONE},
     ISOPOD_VALUES_FLOAT64},
    {LARGE,
     TERNARY,
     {"random", 26, 6, {SCALE(26), 0, 32, 32, 64, 3}, 0, SLOTS, NONE},
     ISOPOD_VALUES_FLOAT32},
    {LARGE,
     NTT,
     {"random", 20, 3, {SCALE(20), 0, 1, 2048, 2048, 3}, 0, SLOTS, NONE},
     ISOPOD_VALUES_INT64},
    {REALS64,
     NTT,
     {"random", 40, 3, {SCALE(40), 0, 1, 4096, 4096, 1}, 0, SLOTS, NONE},
     ISOPOD_VALUES_FLOAT64},
    {REALS64,
     TERNARY,
     {"random", 20, 3, {SCALE(20), 0, 1, 4096, 4096, 3}, 0, SLOTS, NONE},
     ISOPOD_VALUES_FLOAT32},
    {INTEGERS,
     NTT,
     {"u32", 0, 0, {SCALE(0), 0, 1, 1024, 1024, 1}, 0, SLOTS, NONE},
     ISOPOD_VALUES_UINT32},
    {LARGE_INTEGERS,
     TERNARY,
     {"s32", 0, 0, {SCALE(0), 0, 1, 4096, 4096, 3}, 0, COEFFICIENTS, NONE},
     ISOPOD_VALUES_INT32},
    {SMALL,
     NTT,
     {"f32", 14, 2, {SCALE(14), 0, 3, 5, 100, 1}, 0, ROUNDED, {3, 2}},
     ISOPOD_VALUES_FLOAT32},
    {&isopod_bfv_2048x2_air,
     TERNARY,
     {"s32", 0, 0, {SCALE(0), 29, 68, 1, 30, 2}, 0, ROUNDED, {23, 16}},
     ISOPOD_VALUES_INT32},
    {INTEGERS64,
     NTT,
     {"u32", 0, 0, {SCALE(0), 0, 1, 4096, 4096, 2}, 0, SLOTS, NONE},
     ISOPOD_VALUES_INT32},
};

/* Hides the key after the result was made with it. */
static void hide_key(fixture *set) {
    uint32_t *payload = set->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(payload, set->blob_bytes - ISOPOD_KEY_HEADER_BYTES);
    CHECK(fixture_key_open(set, 0) == ISOPOD_OK);
}

static uint32_t undefined_bytes(const void *memory, size_t length) {
    size_t mark = check_memory_mark();
    uint8_t *bits = check_memory(length);
    uint32_t count = 0;
    CHECK(VALGRIND_GET_VBITS(memory, bits, length) == 1);
    for (size_t i = 0; i < length; i++) {
        count += bits[i] != 0;
    }
    check_memory_release(mark);
    return count;
}

/* Decrypts with this decoder, or with the set's if it is NULL. */
static void run_result(const owner_plan *plan, const isopod_decoder *decoder) {
    fixture maker, set;
    size_t bytes;
    uint8_t link_key[ISOPOD_LINK_KEY_BYTES];
    isopod_result result;
    isopod_decrypt context;
    check_memory_reset();
    fixture_open(&maker, plan->params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&maker, &isopod_suite_chacha20, 1);
    const uint8_t *item = result_item(&maker, &plan->input, &bytes);
    fixture_open(&set, plan->params, plan->kind);
    isopod_decrypt_config config = result_config(&set, &plan->input);
    config.decoder = decoder != NULL ? decoder : config.decoder;
    isopod_decoded out = {
        check_memory((size_t)8 * plan->input.claim.rows * plan->input.claim.columns),
        plan->input.claim.rows * plan->input.claim.columns, plan->type};
    isopod_copy(link_key, result_link_key(), sizeof link_key);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(link_key, sizeof link_key);
    hide_key(&set);
    CHECK(isopod_result_open(&result, plan->params, link_key, item, bytes) == ISOPOD_OK);
    CHECK(isopod_decrypt_result(&context, &config, result_workspace(), &result, &out) == ISOPOD_OK);
    CHECK(undefined_bytes(out.data, (size_t)4 * out.capacity) > 3u * out.capacity / 2u);
}

/* A sum whose linear tag is not that of its frames, as a verifier finds out. */
static void run_proof(const owner_plan *plan) {
    static const uint8_t tag[ISOPOD_LINEAR_TAG_BYTES] = {1, 0, 0, 0, 0, 0, 0, 2u << 5};
    static const result_proof of_sum = {"sum", result_ranges, tag};
    fixture maker, set;
    size_t bytes;
    isopod_result result;
    isopod_decrypt context;
    isopod_linear_verifier verifier;
    check_memory_reset();
    fixture_open(&maker, plan->params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&maker, &isopod_suite_chacha20, 1);
    result_prove(&of_sum);
    const uint8_t *item = result_item(&maker, &plan->input, &bytes);
    result_prove(NULL);
    fixture_open(&set, plan->params, plan->kind);
    isopod_decrypt_config config = result_config(&set, &plan->input);
    config.verifier = &verifier;
    const uint32_t count = plan->input.claim.rows * plan->input.claim.columns;
    isopod_decoded out = {check_memory((size_t)4 * count), count, plan->type};
    hide_key(&set);
    CHECK(isopod_linear_verifier_open(&verifier, &set.key, 1, 2) == ISOPOD_OK);
    CHECK(undefined_bytes(verifier.group, sizeof verifier.group) == sizeof verifier.group);
    CHECK(isopod_result_open(&result, plan->params, result_link_key(), item, bytes) == ISOPOD_OK);
    CHECK(isopod_decrypt_result(&context, &config, result_workspace(), &result, &out) ==
          ISOPOD_ERROR_UNPROVED);
}

static int hidden_fill(void *state, uint8_t *out, size_t length) {
    int status = fixture_fill(state, out, length);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(out, length);
    return status;
}

/* Takes each payload with its header, all of them derived from the entropy. */
static void run_pair(const isopod_params *params, uint8_t chunks) {
    fixture set;
    uint8_t first = 3, key_id[ISOPOD_KEY_ID_BYTES];
    isopod_entropy entropy = {hidden_fill, &first, {0}, 0};
    isopod_key_pair pair;
    check_memory_reset();
    fixture_tables(&set, params);
    const key_calls *calls = key_calls_of(params);
    size_t bytes = calls->workspace_bytes(set.n, chunks);
    const isopod_workspace workspace = {check_memory(bytes), bytes};
    const isopod_key_pair_config config = {params, &set.tables, chunks};
    CHECK(calls->begin(&pair, &config, &workspace, &entropy) == ISOPOD_OK);
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        uint32_t size = key_payload_bytes(params, (isopod_key_kind)kind);
        uint32_t *blob = check_memory(ISOPOD_KEY_HEADER_BYTES + (size_t)size);
        key_payload(&pair, (isopod_key_kind)kind, blob, 1000);
        if (kind <= ISOPOD_KEY_PUBLIC_SEEDED) {
            CHECK(calls->identify(key_id, &pair, blob) == ISOPOD_OK);
        }
        CHECK(calls->head(blob, &pair, key_id) == ISOPOD_OK);
        CHECK(undefined_bytes(blob + ISOPOD_KEY_HEADER_BYTES / 4, size) > size / 3u);
    }
    calls->close(&pair);
}

/* Flash that is always erased, so that the count is 1. */
static int read_erased(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    uint8_t *record = state;
    for (size_t i = 0; i < length; i++) {
        out[i] = page == 0 && offset == 0 ? record[i] : 0xff;
    }
    return 0;
}

static int write_record(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                        size_t length) {
    (void)page, (void)offset;
    isopod_copy(state, bytes, length);
    return 0;
}

static int erase_none(void *state, uint8_t page) {
    (void)state, (void)page;
    return 0;
}

/* Bytes of a contribution, and how many of them are undefined. */
typedef struct {
    uint32_t bytes, undefined;
} taken;

static int take(void *state, const uint8_t *bytes, size_t length) {
    taken *sum = state;
    sum->bytes += (uint32_t)length;
    sum->undefined += undefined_bytes(bytes, length);
    return 0;
}

/* A contribution of a board whose share, keys and entropy are undefined. */
static void run_holder(void) {
    static const uint8_t numbers[] = {1, 3};
    const holder_numbers of = {1, 2, 3, 22, 44, 0};
    const isopod_answering answering = {numbers, sizeof numbers};
    fixture set;
    size_t bytes;
    uint8_t first = 3, record[16];
    isopod_result result;
    isopod_holder holder;
    taken sum = {0, 0};
    isopod_entropy entropy = {hidden_fill, &first, {0}, 0};
    check_memory_reset();
    fixture_tables(&set, LARGE_INTEGERS);
    uint32_t *blob = holder_share(&set, &of, &bytes);
    isopod_share_head *head = (void *)(blob + ISOPOD_KEY_HEADER_BYTES / 4);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(head->link, (uint8_t *)blob + bytes - (uint8_t *)head->link);
    holder_result(&result, &set);
    const size_t room = ISOPOD_HOLDER_WORKSPACE(set.n);
    const isopod_workspace workspace = {check_memory(room), room};
    const isopod_flash flash = {read_erased, write_record, erase_none, record, 64, 16};
    const isopod_holder_board board = {&entropy, &flash, take, &sum};
    for (uint32_t i = 0; i < sizeof record; i++) {
        record[i] = 0xff;
    }
    CHECK(isopod_holder_open(&holder, set.params, &set.tables, blob, bytes) == ISOPOD_OK);
    CHECK(isopod_holder_contribute(&holder, &result, &answering, &board, &workspace) == ISOPOD_OK);
    CHECK(sum.undefined > set.n / 8u * of.bits && sum.undefined < sum.bytes);
}

uint32_t taint_owner(void) {
    uint32_t runs = sizeof plans / sizeof plans[0];
    for (uint32_t i = 0; i < runs; i++) {
        check_case("result", i);
        run_result(&plans[i], NULL);
    }
    for (uint32_t i = 0; i < LEAN; i++) {
        check_case("result, lean decoder", i);
        run_result(&plans[i], &isopod_ckks_decode_lean);
    }
    check_case("proof", 0);
    run_proof(&plans[PROVED]);
    run_holder();
    run_pair(SMALL, 4);
    run_pair(LARGE, 1);
    run_pair(INTEGERS64, 2);
    return runs + LEAN + 5;
}
