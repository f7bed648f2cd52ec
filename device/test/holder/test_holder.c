/* A holder on a board: noise, values and whole contributions against the model; what is refused,
 * counted before a byte is written, and left when entropy, flash or output fail. */
#include "isopod/holder.h"

#include "../../src/base/memory.h"
#include "../../src/holder/fraction.h"
#include "../../src/holder/share.h"
#include "../harness/check.h"
#include "../harness/result_input.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"
#include "holder_input.h"

#define PAGE 64u
#define ONE 0x3ff0000000000000u
#define NOISE_RECORDS (sizeof isopod_vectors_board_noise / sizeof isopod_vectors_board_noise[0])
#define VALUE_RECORDS (sizeof isopod_vectors_board_values / sizeof isopod_vectors_board_values[0])
#define CONTRIBUTIONS                                                                              \
    (sizeof isopod_vectors_board_contributions / sizeof isopod_vectors_board_contributions[0])

typedef struct isopod_vector_board_contributions record;

/* A board: flash that may be dead, output that may end, entropy that may fail. */
typedef struct {
    fixture set;
    uint32_t *blob;
    size_t blob_bytes;
    uint8_t *c1;
    uint8_t *key_id;
    isopod_holder holder;
    isopod_result result;
    uint8_t numbers[ISOPOD_HOLDERS];
    isopod_answering answering;
    isopod_workspace workspace;
    uint8_t pages[2][PAGE];
    int flash_fails, entropy_fails;
    uint8_t *out;
    size_t length, room;
    uint32_t writes_when_sent; /* records that were written before the first byte */
    uint32_t writes;
    isopod_entropy entropy;
    isopod_flash flash;
    isopod_holder_board board;
} board_test;

static int read_page(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    const board_test *test = state;
    isopod_copy(out, test->pages[page] + offset, length);
    return 0;
}

static int write_page(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                      size_t length) {
    board_test *test = state;
    test->writes++;
    for (size_t i = 0; i < length && !test->flash_fails; i++) {
        test->pages[page][offset + i] &= bytes[i];
    }
    return test->flash_fails;
}

static int erase_page(void *state, uint8_t page) {
    board_test *test = state;
    for (size_t i = 0; i < PAGE; i++) {
        test->pages[page][i] = 0xff;
    }
    return test->flash_fails;
}

static int send(void *state, const uint8_t *bytes, size_t length) {
    board_test *test = state;
    if (length > test->room - test->length) {
        return -1;
    }
    test->writes_when_sent = test->length == 0 ? test->writes : test->writes_when_sent;
    isopod_copy(test->out + test->length, bytes, length);
    test->length += length;
    return 0;
}

/* Bytes from 7 on. */
static int fill(void *state, uint8_t *out, size_t length) {
    const board_test *test = state;
    fixture_bytes(out, 7, length);
    return test->entropy_fails;
}

static void reset_board(board_test *test) {
    erase_page(test, 0);
    erase_page(test, 1);
    isopod_wipe(&test->entropy, sizeof test->entropy);
    test->entropy.fill = fill;
    test->entropy.state = test;
    test->length = test->writes = test->writes_when_sent = 0;
}

static void prepare(board_test *test, const record *row) {
    const size_t workspace = ISOPOD_HOLDER_WORKSPACE(4096);
    const isopod_flash flash = {read_page, write_page, erase_page, test, PAGE, 16};
    isopod_wipe(test, sizeof *test);
    fixture_tables(&test->set, vector_set(row->set));
    CHECK(ISOPOD_HOLDER_WORKSPACE(test->set.n) == workspace);
    const holder_numbers numbers = {row->holder, row->threshold, row->holders,
                                    row->bits,   row->shift,     row->used};
    test->blob = holder_share(&test->set, &numbers, &test->blob_bytes);
    holder_result(&test->result, &test->set);
    test->c1 = (uint8_t *)(uintptr_t)test->result.c1;
    test->key_id = (uint8_t *)(uintptr_t)test->result.key_id;
    test->answering.numbers = test->numbers;
    fixture_from_hex(test->numbers, row->answering);
    while (row->answering[2u * test->answering.count] != '\0') {
        test->answering.count++;
    }
    test->workspace.memory = check_memory(workspace);
    test->workspace.bytes = workspace;
    test->room = row->bytes;
    test->out = check_memory(test->room);
    test->flash = flash;
    test->board.entropy = &test->entropy;
    test->board.count = &test->flash;
    test->board.write = send;
    test->board.state = test;
    reset_board(test);
}

static isopod_status open_share(board_test *test) {
    return isopod_holder_open(&test->holder, test->set.params, &test->set.tables, test->blob,
                              test->blob_bytes);
}

static isopod_status contribute(board_test *test) {
    test->length = 0;
    return isopod_holder_contribute(&test->holder, &test->result, &test->answering, &test->board,
                                    &test->workspace);
}

static int is_wiped(const board_test *test) {
    uint8_t any = 0;
    for (size_t i = 0; i < test->workspace.bytes; i++) {
        any |= ((const uint8_t *)test->workspace.memory)[i];
    }
    return any == 0;
}

static void check_contribution(board_test *test, const record *row) {
    CHECK(fixture_has_digest(test->blob, test->blob_bytes, row->share_sha3));
    CHECK(open_share(test) == ISOPOD_OK);
    for (uint32_t i = 1; i < row->own; i++) {
        uint64_t skipped;
        CHECK(isopod_counter_next(&test->flash, 1, &skipped) == ISOPOD_OK);
    }
    test->writes = 0;
    CHECK(contribute(test) == ISOPOD_OK);
    CHECK(test->writes_when_sent == 1);
    CHECK(test->length == row->bytes);
    CHECK(fixture_has_digest(test->out, test->length, row->sha3));
    CHECK(is_wiped(test));
}

/* Nothing was written, nothing was counted, nothing is left. */
static void refuses(board_test *test, isopod_status wanted) {
    reset_board(test);
    CHECK(contribute(test) == wanted);
    CHECK(test->length == 0 && test->writes == 0 && is_wiped(test));
}

static void check_answering(board_test *test) {
    static const uint8_t wrong[][3] = {{1, 2, 3}, {2, 3}, {1, 1}, {3, 1}, {0, 1}, {1, 4}};
    const isopod_answering right = test->answering;
    for (uint8_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        check_case("answering", i);
        test->answering.numbers = wrong[i];
        test->answering.count = i == 0 ? 3 : 2;
        refuses(test, ISOPOD_ERROR_ANSWERING);
    }
    test->answering.numbers = right.numbers;
    test->answering.count = 1;
    refuses(test, ISOPOD_ERROR_ANSWERING);
    test->answering = right;
}

static void check_refusals(board_test *test) {
    check_case("refusals", 0);
    test->key_id[15] ^= 1u;
    refuses(test, ISOPOD_ERROR_KEY_SET);
    test->key_id[15] ^= 1u;
    test->workspace.bytes--;
    refuses(test, ISOPOD_ERROR_WORKSPACE);
    test->workspace.bytes++;
    const uint8_t kept[4] = {test->c1[0], test->c1[1], test->c1[2], test->c1[3]};
    for (uint32_t i = 0; i < 4; i++) {
        test->c1[i] = 0xff;
    }
    refuses(test, ISOPOD_ERROR_RESIDUE);
    isopod_copy(test->c1, kept, sizeof kept);
}

/* Entropy, flash and output fail; each contribution that was counted stays counted. */
static void check_failures(board_test *test) {
    check_case("failures", 0);
    reset_board(test);
    test->entropy_fails = -1;
    CHECK(contribute(test) == ISOPOD_ERROR_ENTROPY);
    test->entropy_fails = 0;
    CHECK(contribute(test) == ISOPOD_ERROR_ENTROPY); /* poisoned */
    CHECK(test->length == 0 && test->writes == 0);
    reset_board(test);
    test->flash_fails = -1;
    CHECK(contribute(test) == ISOPOD_ERROR_FLASH);
    CHECK(test->length == 0 && is_wiped(test));
    test->flash_fails = 0;
    reset_board(test);
    CHECK(contribute(test) == ISOPOD_OK);
    CHECK(contribute(test) == ISOPOD_ERROR_ENTROPY); /* the same bytes twice */
    reset_board(test);
    test->room--;
    CHECK(contribute(test) == ISOPOD_ERROR_CAPACITY);
    CHECK(test->writes == 1 && is_wiped(test));
    test->room++;
}

/* Two of the queries are left, one of them with the last count. */
static void check_count(board_test *test) {
    isopod_share_head *head = (void *)(test->blob + ISOPOD_KEY_HEADER_BYTES / 4u);
    const isopod_share_head kept = *head;
    check_case("count", 0);
    head->queries[0] = head->used[0] + 1u;
    head->queries[1] = 0;
    fixture_seal_blob(test->blob);
    CHECK(open_share(test) == ISOPOD_OK);
    reset_board(test);
    CHECK(contribute(test) == ISOPOD_OK);
    isopod_wipe(test->entropy.fingerprint, sizeof test->entropy.fingerprint);
    CHECK(contribute(test) == ISOPOD_ERROR_COUNTER);
    CHECK(test->length == 0 && is_wiped(test));
    head->queries[0] = 0;
    fixture_seal_blob(test->blob);
    CHECK(open_share(test) == ISOPOD_OK);
    reset_board(test);
    CHECK(contribute(test) == ISOPOD_ERROR_COUNTER);
    CHECK(test->length == 0);
    *head = kept;
    fixture_seal_blob(test->blob);
    CHECK(open_share(test) == ISOPOD_OK);
}

static void refuses_share(board_test *test, isopod_status wanted) {
    isopod_holder *const holder = &test->holder;
    fixture_seal_blob(test->blob);
    CHECK(open_share(test) == wanted);
    CHECK(holder->params == NULL && holder->blob == NULL);
}

/* Every word of the header and of the numbers behind it, wrong; then a residue, and the digest. */
static void check_shares(board_test *test) {
    static const uint32_t wrong[][2] = {{0, 0}, {0, 4}, {1, 1},  {1, 4}, {2, 1}, {2, 11},
                                        {3, 0}, {4, 0}, {4, 29}, {5, 0}, {5, 59}};
    uint32_t *blob = test->blob, *head = blob + ISOPOD_KEY_HEADER_BYTES / 4u;
    for (uint32_t i = 0; i < ISOPOD_KEY_WORD_DIGEST; i++) {
        uint32_t is_name = i >= ISOPOD_KEY_WORD_KEY_ID && i < ISOPOD_KEY_WORD_PRIMES;
        uint32_t is_set = i >= ISOPOD_KEY_WORD_SET_ID && i < ISOPOD_KEY_WORD_KEY_ID;
        check_case("header", i);
        blob[i] ^= 1u;
        if (!is_name) {
            refuses_share(test, is_set                      ? ISOPOD_ERROR_KEY_SET
                                : i == ISOPOD_KEY_WORD_KIND ? ISOPOD_ERROR_KEY_KIND
                                                            : ISOPOD_ERROR_KEY_FORMAT);
        }
        blob[i] ^= 1u;
    }
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const uint32_t kept = head[wrong[i][0]];
        check_case("numbers", i);
        head[wrong[i][0]] = wrong[i][1];
        refuses_share(test, ISOPOD_ERROR_KEY_FORMAT);
        head[wrong[i][0]] = kept;
    }
    const uint32_t last = (uint32_t)test->blob_bytes / 4u - 1u, kept = blob[last];
    blob[last] = test->set.params->primes[2].modulus;
    refuses_share(test, ISOPOD_ERROR_KEY_FORMAT);
    blob[last] = kept;
    fixture_seal_blob(blob);
    blob[last] ^= 1u;
    CHECK(open_share(test) == ISOPOD_ERROR_KEY_FORMAT);
    blob[last] ^= 1u;
    test->blob_bytes -= 4u;
    CHECK(open_share(test) == ISOPOD_ERROR_KEY_FORMAT);
    test->blob_bytes = 4;
    CHECK(open_share(test) == ISOPOD_ERROR_KEY_FORMAT);
}

static void check_noise(void) {
    for (uint32_t i = 0; i < NOISE_RECORDS; i++) {
        const struct isopod_vector_board_noise *row = &isopod_vectors_board_noise[i];
        const uint32_t words[] = {row->word_0, row->word_1, row->word_2, row->word_3, row->word_4};
        check_case("noise", i);
        CHECK((uint64_t)isopod_flood(words, (uint64_t)1 << row->shift) == row->noise);
    }
}

static void check_values(void) {
    const isopod_params *params = vector_set(isopod_vectors_board_contributions[0].set);
    for (uint32_t i = 0; i < VALUE_RECORDS; i++) {
        const struct isopod_vector_board_values *row = &isopod_vectors_board_values[i];
        const int32_t x[] = {(int32_t)row->residue_0, (int32_t)row->residue_1,
                             (int32_t)row->residue_2};
        isopod_fraction fraction;
        check_case("values", i);
        isopod_fraction_start(&fraction, params, row->bits);
        CHECK(isopod_fraction_of(&fraction, x, (int64_t)row->noise) == row->value);
        /* Other representatives of the residues. */
        const int32_t other[] = {x[0] - (x[0] != 0 ? (int32_t)params->primes[0].modulus : 0),
                                 x[1] - (x[1] != 0 ? (int32_t)params->primes[1].modulus : 0),
                                 x[2] - (x[2] != 0 ? (int32_t)params->primes[2].modulus : 0)};
        CHECK(isopod_fraction_of(&fraction, other, (int64_t)row->noise) == row->value);
    }
}

/* Reads a result of this job and as many primes. */
static isopod_status reads(const board_test *test, fixture *maker, const char *job,
                           uint8_t primes) {
    const result_input input = {"s32",        0,     0, {ONE, 0, 1, maker->n, maker->n, primes}, 0,
                                ISOPOD_SLOTS, {0, 0}};
    const result_proof proof = {job, result_ranges, NULL};
    isopod_result result;
    const size_t mark = check_memory_mark();
    size_t bytes;
    result_prove(&proof);
    uint8_t *item = result_item(maker, &input, &bytes);
    isopod_status status = isopod_holder_read(&result, &test->holder, item, bytes);
    CHECK((status == ISOPOD_OK) == (result.params == maker->params));
    if (status == ISOPOD_OK) {
        CHECK(result.frames == 5);
        item[bytes / 2] ^= 1u;
        CHECK(isopod_holder_read(&result, &test->holder, item, bytes) ==
              ISOPOD_ERROR_AUTHENTICATION);
    }
    result_prove(NULL);
    check_memory_release(mark);
    return status;
}

/* Results of other jobs, of more frames, of fewer primes, and of another key. */
static void check_reading(void) {
    board_test *test = check_memory(sizeof *test);
    fixture maker;
    check_case("reading", 0);
    prepare(test, &isopod_vectors_board_contributions[0]);
    fixture_open(&maker, test->set.params, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&maker, &isopod_suite_chacha20, 1);
    CHECK(open_share(test) == ISOPOD_OK);
    CHECK(reads(test, &maker, "sum", 3) == ISOPOD_ERROR_KEY_SET);
    isopod_copy((uint8_t *)(test->blob + ISOPOD_KEY_WORD_KEY_ID),
                (const uint8_t *)(maker.blob + ISOPOD_KEY_WORD_KEY_ID), ISOPOD_KEY_ID_BYTES);
    fixture_seal_blob(test->blob);
    CHECK(open_share(test) == ISOPOD_OK);
    CHECK(reads(test, &maker, "sum", 3) == ISOPOD_OK);
    CHECK(reads(test, &maker, "mean", 3) == ISOPOD_ERROR_CIRCUIT);
    CHECK(reads(test, &maker, "sums", 3) == ISOPOD_ERROR_CIRCUIT);
    CHECK(reads(test, &maker, "su", 3) == ISOPOD_ERROR_CIRCUIT);
    CHECK(reads(test, &maker, "mean of readings", 3) == ISOPOD_ERROR_CIRCUIT);
    CHECK(reads(test, &maker, "sum", 2) == ISOPOD_ERROR_LEVEL);
    isopod_share_head *head = (void *)(test->blob + ISOPOD_KEY_HEADER_BYTES / 4u);
    head->frames = 4;
    CHECK(reads(test, &maker, "sum", 3) == ISOPOD_ERROR_CIRCUIT);
    check_memory_reset();
}

void test_holder(void) {
    static board_test test;
    check_noise();
    check_values();
    for (uint32_t i = 0; i < CONTRIBUTIONS; i++) {
        check_case("contributions", i);
        prepare(&test, &isopod_vectors_board_contributions[i]);
        check_contribution(&test, &isopod_vectors_board_contributions[i]);
        check_memory_reset();
    }
    prepare(&test, &isopod_vectors_board_contributions[0]);
    CHECK(open_share(&test) == ISOPOD_OK);
    check_answering(&test);
    check_refusals(&test);
    check_failures(&test);
    check_count(&test);
    check_shares(&test);
    check_memory_reset();
    check_reading();
}
