/* Calls out of order, at the end, after the end, and with no room. */
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"

static void expect_next(isopod_ckks *context, size_t capacity, isopod_status expected) {
    uint8_t out[16];
    size_t length = 7;
    fixture_bytes(out, 0x10, sizeof out);
    CHECK(isopod_ckks_next(context, out, capacity, &length) == expected);
    CHECK(length == 0 && out[0] == 0x10 && out[15] == 0x1f);
}

static void expect_frame_next(isopod_frame *frame, size_t capacity, isopod_status expected) {
    uint8_t out[16];
    isopod_piece piece = {9, 9, 9};
    fixture_bytes(out, 0x10, sizeof out);
    CHECK(isopod_frame_next(frame, out, capacity, &piece) == expected);
    CHECK(piece.length == 0 && piece.part_complete == 0 && out[0] == 0x10 && out[15] == 0x1f);
}

static void check_ckks(fixture *set, const isopod_values *values) {
    isopod_ckks context = {0};
    isopod_frame frame = {0};
    uint8_t out[16];
    size_t length, total = 0, bytes = set->n / 8 * set->params->primes[0].bits;
    bytes *= set->key.kind <= ISOPOD_KEY_PUBLIC_SEEDED ? 2 : 1;
    check_case("encryption", set->key.kind);
    expect_next(&context, 16, ISOPOD_ERROR_STATE);
    isopod_ckks_abort(&context);
    CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    CHECK(isopod_ckks_begin(&context, &set->config, &set->encryptor, values) == ISOPOD_OK);
    expect_next(&context, 0, ISOPOD_ERROR_CAPACITY);
    while (isopod_ckks_next(&context, out, sizeof out, &length) == ISOPOD_OK) {
        total += length;
        if (total == 160) {
            expect_next(&context, 0, ISOPOD_ERROR_CAPACITY);
            CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
        }
    }
    CHECK(total == bytes);
    expect_next(&context, 16, ISOPOD_DONE);
    expect_next(&context, 16, ISOPOD_DONE);
    CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    isopod_ckks_abort(&context);
    isopod_ckks_abort(&context);
    expect_next(&context, 16, ISOPOD_ERROR_STATE);
}

static isopod_status begin_frame(fixture *set, const isopod_values *values, isopod_ckks *context,
                                 isopod_frame *frame) {
    isopod_status status = isopod_ckks_begin(context, &set->config, &set->encryptor, values);
    return status == ISOPOD_OK ? isopod_frame_begin(frame, context) : status;
}

static void check_frame(fixture *set, const isopod_values *values) {
    isopod_ckks context = {0};
    isopod_frame frame = {0};
    isopod_piece piece;
    uint8_t out[16];
    size_t total = 0;
    uint32_t pieces = 0;
    check_case("frame", set->key.kind);
    expect_frame_next(&frame, 16, ISOPOD_ERROR_STATE);
    CHECK(isopod_frame_part_bytes(&frame) == 0);
    CHECK(begin_frame(set, values, &context, &frame) == ISOPOD_OK);
    size_t part = isopod_frame_part_bytes(&frame);
    do {
        if (pieces++ % 10 == 0) {
            expect_frame_next(&frame, 0, ISOPOD_ERROR_CAPACITY);
        }
        CHECK(isopod_frame_part_bytes(&frame) == part);
        CHECK(isopod_frame_next(&frame, out, sizeof out, &piece) == ISOPOD_OK && piece.part == 0);
        total += piece.length;
    } while (!piece.part_complete && total <= part);
    CHECK(total == part);
    CHECK(isopod_frame_part_bytes(&frame) == 0);
    expect_frame_next(&frame, 16, ISOPOD_DONE);
    expect_frame_next(&frame, 16, ISOPOD_DONE);
    expect_next(&context, 16, ISOPOD_ERROR_STATE);
}

/* Draws bytes from a frame's encryption directly, or aborts it: no part of the frame completes. */
static void check_theft(fixture *set, const isopod_values *values, int give_up) {
    isopod_ckks context;
    isopod_frame frame;
    isopod_piece piece;
    uint8_t out[200];
    size_t length;
    isopod_status status = begin_frame(set, values, &context, &frame);
    check_case("theft", (uint32_t)give_up);
    CHECK(status == ISOPOD_OK);
    CHECK(isopod_frame_next(&frame, out, sizeof out, &piece) == ISOPOD_OK);
    CHECK(isopod_frame_next(&frame, out, sizeof out, &piece) == ISOPOD_OK);
    if (give_up) {
        isopod_ckks_abort(&context);
    } else {
        CHECK(isopod_ckks_next(&context, out, 10, &length) == ISOPOD_OK);
    }
    while (status == ISOPOD_OK) {
        status = isopod_frame_next(&frame, out, sizeof out, &piece);
        CHECK(piece.part_complete == 0);
    }
    CHECK(status == ISOPOD_ERROR_STATE);
    expect_frame_next(&frame, 16, ISOPOD_ERROR_STATE);
    CHECK(isopod_frame_part_bytes(&frame) == 0);
}

/* A second frame of one encryption would have the same name and nonce. */
static void check_second_frame(fixture *set, const isopod_values *values) {
    isopod_ckks context;
    isopod_frame frame, second;
    check_case("second frame", 0);
    CHECK(begin_frame(set, values, &context, &frame) == ISOPOD_OK);
    CHECK(isopod_frame_begin(&second, &context) == ISOPOD_ERROR_STATE);
    frame = (isopod_frame){0};
    CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    isopod_ckks_abort(&context);
    CHECK(isopod_frame_begin(&frame, &context) == ISOPOD_ERROR_STATE);
    CHECK(begin_frame(set, values, &context, &frame) == ISOPOD_OK);
    isopod_ckks_abort(&context);
}

/* Aborts the encryption before the frame's first byte. */
static void check_abandoned(fixture *set, const isopod_values *values) {
    isopod_ckks context;
    isopod_frame frame;
    check_case("abandoned", 0);
    CHECK(begin_frame(set, values, &context, &frame) == ISOPOD_OK);
    isopod_ckks_abort(&context);
    CHECK(isopod_frame_part_bytes(&frame) == 0);
    expect_frame_next(&frame, 16, ISOPOD_ERROR_STATE);
}

void test_abandoned_frame(void) {
    fixture set;
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    fixture_configure(&set, &isopod_suite_chacha20, 2);
    isopod_values values = {fixture_values(5, -8, 1), 5, ISOPOD_VALUES_FLOAT32};
    check_abandoned(&set, &values);
}

void test_states(void) {
    for (uint32_t kind = ISOPOD_KEY_PUBLIC; kind <= ISOPOD_KEY_SECRET_NTT; kind++) {
        fixture set;
        check_memory_reset();
        fixture_open(&set, &isopod_ckks_1024x1_sum, (isopod_key_kind)kind);
        fixture_configure(&set, &isopod_suite_chacha20, 2);
        isopod_values values = {fixture_values(5, -8, 1), 5, ISOPOD_VALUES_FLOAT32};
        check_ckks(&set, &values);
        check_frame(&set, &values);
        check_second_frame(&set, &values);
        check_theft(&set, &values, 0);
        check_theft(&set, &values, 1);
    }
}
