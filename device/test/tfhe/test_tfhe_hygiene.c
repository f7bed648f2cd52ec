/* TFHE encryption leaves nothing in memory, and only bodies depend on the message. */
#include "../../src/base/memory.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"

static size_t nonzero(const void *memory, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        count += ((const uint8_t *)memory)[i] != 0;
    }
    return count;
}

/* Checks that the context keeps nothing but the fact that it is done. */
static void check_after_last_byte(tfhe_fixture *set, const isopod_tfhe_values *values) {
    isopod_tfhe context;
    uint8_t out[512];
    size_t length;
    check_case("after the last byte", set->key.kind);
    isopod_status status = isopod_tfhe_begin(&context, &set->config, &set->encryptor, values);
    CHECK(nonzero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) > 100);
    while (status == ISOPOD_OK) {
        status = isopod_tfhe_next(&context, out, sizeof out, &length);
    }
    CHECK(status == ISOPOD_DONE);
    CHECK(nonzero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero(&context, sizeof context) <= 1);
    CHECK(isopod_tfhe_next(&context, out, 1, &length) == ISOPOD_DONE && length == 0);
}

static void check_after_frame(tfhe_fixture *set, const isopod_tfhe_values *values) {
    isopod_tfhe context;
    isopod_tfhe_frame frame;
    uint8_t out[512];
    size_t length;
    check_case("after the frame", set->key.kind);
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, values) == ISOPOD_OK);
    isopod_status status = isopod_tfhe_frame_begin(&frame, &context);
    while (status == ISOPOD_OK) {
        status = isopod_tfhe_frame_next(&frame, out, sizeof out, &length);
    }
    CHECK(status == ISOPOD_DONE);
    CHECK(nonzero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero(&context, sizeof context) == 0);
    CHECK(nonzero(frame.tag.accumulator, sizeof frame.tag.accumulator) == 0);
    CHECK(nonzero(frame.tag.multiplier, sizeof frame.tag.multiplier) == 0);
}

static void check_after_abort_and_error(tfhe_fixture *set, const isopod_tfhe_values *values) {
    const isopod_tfhe_values bad = {values->runs, 0};
    isopod_tfhe context;
    uint8_t out[100];
    size_t length;
    check_case("after abort", set->key.kind);
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, values) == ISOPOD_OK);
    CHECK(isopod_tfhe_next(&context, out, sizeof out, &length) == ISOPOD_OK);
    isopod_tfhe_abort(&context);
    CHECK(nonzero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero(&context, sizeof context) == 0);
    check_case("after an error", set->key.kind);
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, values) == ISOPOD_OK);
    CHECK(isopod_tfhe_begin(&context, &set->config, &set->encryptor, &bad) == ISOPOD_ERROR_COUNT);
    CHECK(nonzero(set->encryptor.workspace.memory, set->encryptor.workspace.bytes) == 0);
    CHECK(nonzero(&context, sizeof context) == 0);
}

/* Encrypts with a dirty workspace and in single bytes to the same ciphertext. */
static void check_repeatable(tfhe_fixture *set, const isopod_tfhe_values *values) {
    size_t room = (size_t)2 * set->n * set->word_bytes + 4096;
    uint8_t *first = check_memory(room), *second = check_memory(room);
    isopod_entropy kept = set->entropy;
    check_case("repeatable", set->key.kind);
    uint8_t state = *(uint8_t *)kept.state;
    size_t bytes = tfhe_fixture_encrypt(set, values, first, 4096);
    set->entropy = kept;
    set->sender.sequence--;
    *(uint8_t *)kept.state = state;
    uint8_t *workspace = set->encryptor.workspace.memory;
    for (size_t i = 0; i < set->encryptor.workspace.bytes; i++) {
        workspace[i] = 0xa5;
    }
    CHECK(tfhe_fixture_encrypt(set, values, second, 1) == bytes);
    CHECK(isopod_equal(first, second, bytes));
}

/* Under one root two messages give the same masks, and bodies that differ by the difference of the
 * messages. */
static void check_only_messages(tfhe_fixture *set) {
    static const uint8_t ones[4] = {1, 1, 1, 1}, mixed[4] = {1, 0, 0, 1};
    const isopod_tfhe_run run[2] = {{ones, 4, ISOPOD_TFHE_BOOL}, {mixed, 4, ISOPOD_TFHE_BOOL}};
    size_t room = (size_t)set->n * set->word_bytes + 64;
    uint8_t *out[2] = {check_memory(room + 4096), check_memory(room + 4096)};
    isopod_entropy kept = set->entropy;
    uint8_t state = *(uint8_t *)kept.state;
    size_t bytes = 0;
    check_case("only messages", set->key.kind);
    set->config.hedge_without_values = 1;
    for (uint32_t i = 0; i < 2; i++) {
        const isopod_tfhe_values values = {&run[i], 1};
        set->entropy = kept;
        *(uint8_t *)kept.state = state;
        bytes = tfhe_fixture_encrypt(set, &values, out[i], 4096);
        set->sender.sequence--;
    }
    set->config.hedge_without_values = 0;
    size_t mask = bytes - (size_t)4 * set->word_bytes;
    uint64_t wrap = set->word_bytes == 4 ? 0xffffffffu : ~(uint64_t)0;
    CHECK(isopod_equal(out[0], out[1], mask));
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t difference = tfhe_fixture_word(out[0] + mask, set->word_bytes, i) -
                              tfhe_fixture_word(out[1] + mask, set->word_bytes, i);
        uint64_t expected = (uint64_t)(1u - mixed[i]) << set->params->log2_delta;
        CHECK((difference & wrap) == expected);
    }
}

void test_tfhe_hygiene(void) {
    static const uint8_t ways[6] = {17, 18, 19, 20, TFHE_PREPARED, TFHE_STREAM};
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t w = 0; w < 6; w++) {
            tfhe_fixture set;
            check_memory_reset();
            tfhe_fixture_open(&set, isopod_tfhe_sets[s], ways[w]);
            isopod_tfhe_values values = tfhe_fixture_values("1*5+2*7");
            check_after_last_byte(&set, &values);
            check_after_frame(&set, &values);
            check_after_abort_and_error(&set, &values);
            check_repeatable(&set, &values);
            check_only_messages(&set);
        }
    }
}
