/* Refusals of pads: nothing is written then, and no number is taken but where the page says so. */
#include "../harness/check.h"
#include "../harness/fixture.h"
#include "../harness/tests.h"
#include "pad_input.h"

#define MOST 64u

static isopod_status opened(pad_fixture *fixture) {
    return isopod_pad_open(&fixture->context, &fixture->config, &fixture->sender, &fixture->keys);
}

static isopod_status derived(pad_fixture *fixture) {
    return isopod_pad_derive(&fixture->keys, &fixture->config, &fixture->sender, fixture->pad_key);
}

static int all_zero(const void *memory, size_t length) {
    uint8_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        bits |= ((const uint8_t *)memory)[i];
    }
    return bits == 0;
}

/* Whether a context is refused so, and is zeros as its keys are. */
static void check_closed(pad_fixture *fixture, isopod_status wanted) {
    CHECK(opened(fixture) == wanted);
    CHECK(all_zero(&fixture->context, sizeof fixture->context));
    CHECK(derived(fixture) == wanted);
    CHECK(all_zero(&fixture->keys, sizeof fixture->keys));
}

static void check_numbers(pad_fixture *fixture) {
    isopod_pad_config *config = &fixture->config;
    const isopod_pad_config good = *config;
    config->columns = 0;
    check_closed(fixture, ISOPOD_ERROR_COUNT);
    config->columns = 794; /* the largest packet has 1,600 bytes */
    check_closed(fixture, ISOPOD_ERROR_PACKET);
    config->columns = 793;
    CHECK(opened(fixture) == ISOPOD_OK && isopod_pad_bytes(&fixture->context) == 1599);
    *config = good;
    for (uint32_t width = 0; width < 7; width++) {
        config->width = (uint8_t)width;
        CHECK(opened(fixture) == (width >= 2 && width <= 4 ? ISOPOD_OK : ISOPOD_ERROR_PACKET));
        if (width < 2 || width > 4) {
            continue;
        }
        config->bound = UINT32_MAX >> (33u - 8u * width);
        CHECK(opened(fixture) == ISOPOD_OK);
        config->bound++;
        check_closed(fixture, ISOPOD_ERROR_BOUND);
        config->bound = 0;
        check_closed(fixture, ISOPOD_ERROR_BOUND);
        config->bound = good.bound;
    }
    *config = good;
}

static void check_forms(pad_fixture *fixture) {
    isopod_pad_config *config = &fixture->config;
    const isopod_pad_config good = *config;
    config->number = 64;
    check_closed(fixture, ISOPOD_ERROR_PACKET);
    config->number = 63;
    config->tag_bytes = 5;
    check_closed(fixture, ISOPOD_ERROR_PACKET);
    config->tag_bytes = 4;
    config->device_bytes = 3;
    check_closed(fixture, ISOPOD_ERROR_PACKET);
    *config = good;
    fixture->sender.device = 65536;
    check_closed(fixture, ISOPOD_ERROR_PACKET);
    fixture->sender.device = 1001;
    fixture->sender.epoch = 0;
    check_closed(fixture, ISOPOD_ERROR_SENDER);
    fixture->sender.epoch = 3;
    CHECK(opened(fixture) == ISOPOD_OK);
}

/* A root serves its epoch alone. */
static void check_ratchet(pad_fixture *fixture) {
    uint8_t out[MOST];
    size_t length = 77;
    fixture->config.ratchet = 2;
    check_closed(fixture, ISOPOD_ERROR_PACKET);
    fixture->config.ratchet = 1;
    fixture->sender.epoch = 65536;
    check_closed(fixture, ISOPOD_ERROR_SENDER);
    fixture->sender.epoch = 65535;
    CHECK(opened(fixture) == ISOPOD_OK);
    fixture->sender.epoch = 3;
    CHECK(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                             sizeof out, &length) == ISOPOD_ERROR_SENDER);
    CHECK(length == 0);
    fixture->config.ratchet = 0;
    CHECK(opened(fixture) == ISOPOD_OK);
}

/* Without a device key or the identity of the pad key, a context encrypts, but neither derives keys
 * nor announces itself. */
static void check_keyless(pad_fixture *fixture, isopod_status wanted) {
    uint8_t out[MOST];
    size_t length;
    CHECK(derived(fixture) == wanted);
    CHECK(opened(fixture) == ISOPOD_OK);
    CHECK(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                             sizeof out, &length) == ISOPOD_OK);
    CHECK(isopod_pad_announce(&fixture->context, &fixture->sender, out, sizeof out, &length) ==
          wanted);
    CHECK(length == 0);
}

static void check_missing_keys(pad_fixture *fixture) {
    const uint8_t *device_key = fixture->sender.key, *key_id = fixture->config.key_id;
    fixture->sender.key = NULL;
    check_keyless(fixture, ISOPOD_ERROR_SENDER);
    fixture->sender.key = device_key;
    fixture->config.key_id = NULL;
    check_keyless(fixture, ISOPOD_ERROR_PACKET);
    fixture->config.key_id = key_id;
    CHECK(derived(fixture) == ISOPOD_OK && opened(fixture) == ISOPOD_OK);
}

/* Whether a packet is refused so, is zeros, and took so many numbers. */
static void check_refused(pad_fixture *fixture, size_t capacity, uint32_t taken,
                          isopod_status wanted) {
    uint8_t out[MOST];
    size_t length = 77;
    uint64_t sequence = fixture->sender.sequence;
    fixture_bytes(out, 1, sizeof out);
    CHECK(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                             capacity, &length) == wanted);
    CHECK(length == 0 && fixture->sender.sequence == sequence + taken);
    for (uint32_t i = 0; i < MOST; i++) {
        CHECK_QUIET(out[i] == (i < capacity ? 0 : 1 + i));
    }
}

static void check_values(pad_fixture *fixture) {
    static int32_t wide[PAD_COLUMNS];
    const isopod_values good = fixture->values;
    int16_t *data = (int16_t *)(uintptr_t)good.data, kept = data[4];
    for (int32_t sign = -1; sign <= 1; sign += 2) {
        uint8_t out[MOST];
        size_t length;
        data[4] = (int16_t)(sign * 2048);
        check_refused(fixture, MOST, 0, ISOPOD_ERROR_VALUE_RANGE);
        data[4] = (int16_t)(sign * 2047);
        CHECK(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &good, out, MOST,
                                 &length) == ISOPOD_OK);
    }
    data[4] = kept;
    fixture->values.data = wide;
    fixture->values.type = ISOPOD_VALUES_INT32;
    wide[9] = INT32_MIN;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_VALUE_RANGE);
    fixture->values.type = ISOPOD_VALUES_UINT32;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_VALUE_TYPE);
    fixture->values.data = NULL;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_COUNT);
    fixture->values = good;
    fixture->values.count = 9;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_COUNT);
    fixture->values = good;
}

/* The largest bound lets every number pass but the smallest one. */
static void check_largest_bound(pad_fixture *fixture) {
    int32_t value = INT32_MIN;
    const isopod_values good = fixture->values, one = {&value, 1, ISOPOD_VALUES_INT32};
    const isopod_pad_config kept = fixture->config;
    uint8_t out[MOST];
    size_t length;
    fixture->config.width = 4;
    fixture->config.columns = 1;
    fixture->config.bound = INT32_MAX;
    CHECK(opened(fixture) == ISOPOD_OK);
    fixture->values = one;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_VALUE_RANGE);
    for (value = -INT32_MAX; value != 0; value = value < 0 ? INT32_MAX : 0) {
        CHECK(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &one, out, MOST,
                                 &length) == ISOPOD_OK);
    }
    fixture->config = kept;
    fixture->values = good;
    CHECK(opened(fixture) == ISOPOD_OK);
}

static void check_calls(pad_fixture *fixture) {
    size_t bytes = isopod_pad_bytes(&fixture->context), length = 77;
    uint8_t item[ISOPOD_PAD_CONTEXT_MOST];
    CHECK(bytes == 33);
    check_refused(fixture, bytes - 1, 0, ISOPOD_ERROR_CAPACITY);
    check_refused(fixture, 0, 0, ISOPOD_ERROR_CAPACITY);
    CHECK(isopod_pad_announce(&fixture->context, &fixture->sender, item, 20, &length) ==
          ISOPOD_ERROR_CAPACITY);
    CHECK(length == 0);
    fixture->sender.device++;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_SENDER);
    CHECK(isopod_pad_announce(&fixture->context, &fixture->sender, item, sizeof item, &length) ==
          ISOPOD_ERROR_SENDER);
    fixture->sender.device--;
    fixture->sender.sequence = UINT32_MAX;
    check_refused(fixture, MOST, 1, ISOPOD_ERROR_SENDER);
    fixture->sender.sequence = UINT64_MAX;
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_SENDER);
    fixture->sender.sequence = 42;
    isopod_pad_close(&fixture->context);
    check_refused(fixture, MOST, 0, ISOPOD_ERROR_STATE);
    CHECK(isopod_pad_announce(&fixture->context, &fixture->sender, item, sizeof item, &length) ==
          ISOPOD_ERROR_STATE);
}

void test_pad_errors(void) {
    pad_fixture fixture;
    check_memory_reset();
    pad_fixture_open(&fixture);
    check_numbers(&fixture);
    check_forms(&fixture);
    check_ratchet(&fixture);
    check_missing_keys(&fixture);
    check_values(&fixture);
    check_largest_bound(&fixture);
    check_calls(&fixture);
}
