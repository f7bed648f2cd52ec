/* Senders: epoch 0 and a key of zeros are refused before anything is drawn or counted; the lock is
 * held while a sequence is taken, and on hosts two threads share one. */
#include "../../src/base/memory.h"
#include "../../src/random/sender.h"
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"

/* Calls of the entropy source and of the lock. */
static uint32_t draws, calls, is_held;

static int counted_fill(void *state, uint8_t *out, size_t length) {
    draws++;
    return fixture_fill(state, out, length);
}

static void count_lock(void *state, uint8_t is_taken) {
    CHECK(state == &calls && is_held != is_taken);
    is_held = is_taken;
    calls++;
}

/* Whether a refusal left sender, context and memory as they were. */
static void expect_refused(isopod_status status, const isopod_sender *sender) {
    CHECK(status == ISOPOD_ERROR_SENDER);
    CHECK(sender->sequence == 11 && draws == 0 && calls == 0);
}

static isopod_status begin_slots(fixture *set) {
    isopod_ckks context;
    uint8_t out;
    size_t length = 7;
    const isopod_values values = {fixture_values(512, 0, 1), 512, ISOPOD_VALUES_FLOAT32};
    const isopod_status status = fixture_begin(set, &context, &values);
    CHECK(status == ISOPOD_OK ||
          (isopod_ckks_next(&context, &out, 1, &length) == ISOPOD_ERROR_STATE && length == 0));
    isopod_ckks_abort(&context);
    return status;
}

static isopod_status begin_rounded(fixture *set) {
    isopod_rounded context;
    const isopod_value_source source = {
        .values = {fixture_values(100, 0, 1), 100, ISOPOD_VALUES_FLOAT32}};
    const isopod_status status = rounded_begin(set, &context, &source);
    isopod_rounded_abort(&context);
    return status;
}

static void check_refusals(fixture *set, isopod_status (*begin)(fixture *set)) {
    static const uint8_t zeros[ISOPOD_FRAME_KEY_BYTES];
    const isopod_sender ready = set->sender;
    isopod_sender *sender = &set->sender;
    set->entropy.fill = counted_fill;
    draws = calls = 0;
    sender->sequence = 11;
    sender->epoch = 0;
    expect_refused(begin(set), sender);
    sender->epoch = ready.epoch;
    sender->key = zeros;
    expect_refused(begin(set), sender);
    sender->key = NULL;
    expect_refused(begin(set), sender);
    sender->key = ready.key;
    CHECK(begin(set) == ISOPOD_OK && sender->sequence == 12 && draws == 1);
}

static void check_lock(fixture *set) {
    calls = is_held = 0;
    set->sender.lock = count_lock;
    set->sender.state = &calls;
    set->sender.sequence = 11;
    CHECK(begin_slots(set) == ISOPOD_OK);
    CHECK(calls == 2 && is_held == 0 && set->sender.sequence == 12);
}

/* One bit anywhere in the key makes a sender ready. */
static void check_key_bits(void) {
    uint8_t key[ISOPOD_FRAME_KEY_BYTES] = {0};
    const isopod_sender sender = {.device = 0, .epoch = 1, .key = key};
    CHECK(!isopod_sender_is_ready(&sender));
    for (uint32_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] = (uint8_t)(1u << bit % 8);
        CHECK(isopod_sender_is_ready(&sender));
        key[bit / 8] = 0;
    }
}

static isopod_status begin_tfhe(tfhe_fixture *set) {
    isopod_tfhe context;
    const isopod_tfhe_values values = tfhe_fixture_values("1*9");
    const isopod_status status =
        isopod_tfhe_begin(&context, &set->config, &set->encryptor, &values);
    isopod_tfhe_abort(&context);
    return status;
}

static void check_tfhe(void) {
    tfhe_fixture set;
    check_memory_reset();
    check_case("tfhe", 0);
    tfhe_fixture_open(&set, &isopod_tfhe_1024_tuniform, ISOPOD_TFHE_KEY_PUBLIC);
    set.entropy.fill = counted_fill;
    draws = calls = 0;
    set.sender.sequence = 11;
    set.sender.epoch = 0;
    expect_refused(begin_tfhe(&set), &set.sender);
    set.sender.epoch = 1;
    CHECK(begin_tfhe(&set) == ISOPOD_OK && set.sender.sequence == 12 && draws == 1);
}

void test_sender(void) {
    fixture set;
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    fixture_configure(&set, &isopod_suite_chacha20, 1);
    check_case("slots", 0);
    check_refusals(&set, begin_slots);
    check_lock(&set);
    fixture_open(&set, &isopod_ckks_2048x1_air, ISOPOD_KEY_SECRET_NTT);
    fixture_configure(&set, &isopod_suite_chacha20, 1);
    rounded_configure(&set);
    check_case("rounded", 0);
    check_refusals(&set, begin_rounded);
    check_key_bits();
    check_tfhe();
}
