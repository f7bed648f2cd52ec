/* Names of packets: sequences from flash over restarts, random counters, and what entropy and
 * values change. No name comes twice. */
#include "../harness/check.h"
#include "packet_input.h"
#include "../harness/tests.h"

#include "../../src/base/memory.h"

#define PAGE 256u
#define MOST 64u
#define COUNTER_AT 5u /* behind context and device */

static uint8_t pages[2][PAGE];
static int is_broken;

static int read_flash(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    (void)state;
    isopod_copy(out, pages[page] + offset, length);
    return is_broken;
}

static int write_flash(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                       size_t length) {
    (void)state;
    isopod_copy(pages[page] + offset, bytes, length);
    return is_broken;
}

static int erase_flash(void *state, uint8_t page) {
    (void)state;
    for (uint32_t i = 0; i < PAGE; i++) {
        pages[page][i] = 0xff;
    }
    return is_broken;
}

static const isopod_flash flash = {read_flash, write_flash, erase_flash, NULL, PAGE, 4};

static void erase_all(void) {
    is_broken = 0;
    erase_flash(NULL, 0);
    erase_flash(NULL, 1);
}

static isopod_status encrypt(packet_fixture *fixture, uint8_t out[MOST]) {
    size_t length;
    isopod_status status = isopod_packet_encrypt(&fixture->context, &fixture->encryptor,
                                                 &fixture->values, out, MOST, &length);
    CHECK_QUIET((status == ISOPOD_OK) == (length != 0));
    return status;
}

static void open(packet_fixture *fixture) {
    CHECK(isopod_packet_open(&fixture->context, &fixture->config, &fixture->set.sender) ==
          ISOPOD_OK);
}

static uint32_t counter_of(const uint8_t *packet) {
    return packet[COUNTER_AT] | (uint32_t)packet[COUNTER_AT + 1] << 8;
}

/* Sequences grow over restarts, and a restart skips less than a step. */
static void check_restarts(packet_fixture *fixture) {
    uint8_t out[MOST];
    uint32_t last = 0;
    erase_all();
    for (uint32_t start = 0; start < 9; start++) {
        isopod_packet_counter counter = {isopod_counter_next, &flash, 4, 0};
        packet_repeat(fixture);
        fixture->set.sender.sequence = 0;
        fixture->encryptor.counter = &counter;
        for (uint32_t i = 0; i <= start; i++) {
            CHECK_QUIET(encrypt(fixture, out) == ISOPOD_OK);
            CHECK_QUIET(counter_of(out) > last && counter_of(out) <= last + 4);
            last = counter_of(out);
        }
    }
    CHECK(last >= 45);
}

/* Neither a broken flash nor a wrong step gives a packet. */
static void check_failures(packet_fixture *fixture) {
    uint8_t out[MOST];
    for (uint32_t step = 0; step < 2; step++) {
        isopod_packet_counter counter = {isopod_counter_next, &flash, (uint16_t)(step * 4097u), 0};
        fixture->encryptor.counter = &counter;
        CHECK(encrypt(fixture, out) == ISOPOD_ERROR_COUNTER);
    }
    isopod_packet_counter counter = {isopod_counter_next, &flash, 1, 0};
    fixture->encryptor.counter = &counter;
    is_broken = 1;
    CHECK(encrypt(fixture, out) == ISOPOD_ERROR_FLASH);
    for (uint32_t i = 0; i < MOST; i++) {
        CHECK_QUIET(out[i] == 0);
    }
    is_broken = 0;
    fixture->encryptor.counter = NULL;
    fixture->set.sender.sequence = UINT64_C(1) << 62;
    CHECK(encrypt(fixture, out) == ISOPOD_ERROR_SENDER);
}

static uint32_t differing(const uint8_t *a, const uint8_t *b, uint32_t from, uint32_t to) {
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++) {
        count += a[i] != b[i];
    }
    return count;
}

/* Entropy, one value, name and context change bodies and tags. */
static void check_inputs(packet_fixture *fixture) {
    uint8_t out[5][MOST];
    size_t bytes = isopod_packet_bytes(&fixture->context);
    int16_t *value = (int16_t *)(uintptr_t)fixture->values.data;
    for (uint32_t turn = 0; turn < 5; turn++) {
        packet_repeat(fixture);
        *(uint8_t *)fixture->set.entropy.state = turn == 1;
        value[9] += turn == 2;
        fixture->set.sender.sequence += turn == 3;
        fixture->config.number += turn == 4;
        open(fixture);
        CHECK(encrypt(fixture, out[turn]) == ISOPOD_OK);
        value[9] -= turn == 2;
        fixture->config.number -= turn == 4;
        for (uint32_t before = 0; before < turn; before++) {
            CHECK(differing(out[turn], out[before], 7, (uint32_t)bytes) > 8);
        }
    }
    open(fixture);
}

/* Random counters leave the sender's sequence alone. */
static void check_random(packet_fixture *fixture) {
    uint8_t out[2][MOST];
    fixture->config.naming = ISOPOD_NAMED_BY_RANDOM;
    packet_repeat(fixture);
    open(fixture);
    CHECK(encrypt(fixture, out[0]) == ISOPOD_OK && encrypt(fixture, out[1]) == ISOPOD_OK);
    CHECK(differing(out[0], out[1], COUNTER_AT, COUNTER_AT + 4) >= 2);
    CHECK(fixture->set.sender.sequence == 42);
    fixture->config.naming = ISOPOD_NAMED_BY_SEQUENCE;
}

static int failing(void *state, uint8_t *out, size_t length) {
    (void)out;
    (void)length;
    return *(uint8_t *)state == 0 ? -1 : 0;
}

/* A source that fails or repeats itself gives nothing, and stays refused. */
static void check_entropy(packet_fixture *fixture) {
    uint8_t out[MOST], state = 0;
    open(fixture);
    for (uint32_t turn = 0; turn < 2; turn++) {
        isopod_entropy source = {failing, &state, {0}, 0};
        state = (uint8_t)turn; /* then: bytes that nobody wrote, all equal */
        fixture->set.entropy = source;
        CHECK(encrypt(fixture, out) == ISOPOD_ERROR_ENTROPY);
        uint64_t sequence = fixture->set.sender.sequence;
        CHECK(encrypt(fixture, out) == ISOPOD_ERROR_ENTROPY);
        CHECK(fixture->set.sender.sequence == sequence);
    }
    packet_repeat(fixture);
    CHECK(encrypt(fixture, out) == ISOPOD_OK);
    *(uint8_t *)fixture->set.entropy.state = 0;
    CHECK(encrypt(fixture, out) == ISOPOD_ERROR_ENTROPY);
}

void test_packet_names(void) {
    packet_fixture fixture;
    check_memory_reset();
    packet_fixture_open(&fixture, &isopod_ckks_1024x1_sum);
    open(&fixture);
    check_restarts(&fixture);
    check_failures(&fixture);
    check_inputs(&fixture);
    check_random(&fixture);
    check_entropy(&fixture);
}
