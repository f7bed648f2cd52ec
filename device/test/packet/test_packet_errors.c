/* Every refusal of contexts and packets: its status, nothing written, no number taken. */
#include "../harness/check.h"
#include "packet_input.h"
#include "../harness/tests.h"

#define MOST 64u

static isopod_status opened(packet_fixture *fixture) {
    return isopod_packet_open(&fixture->context, &fixture->config, &fixture->set.sender);
}

/* Whether a context with one member changed is refused so, and is closed then. */
#define CHECK_OPEN(fixture, member, value, wanted)                                                 \
    do {                                                                                           \
        const isopod_packet_config kept = (fixture)->config;                                       \
        (fixture)->config.member = (value);                                                        \
        CHECK(opened(fixture) == (wanted));                                                        \
        CHECK((fixture)->context.config == NULL);                                                  \
        (fixture)->config = kept;                                                                  \
        CHECK_QUIET(opened(fixture) == ISOPOD_OK);                                                 \
    } while (0)

static void check_forms(packet_fixture *fixture) {
    CHECK_OPEN(fixture, method, NULL, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, scheme, NULL, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, scheme,
               fixture->config.params->plain == NULL ? &isopod_packet_bfv : &isopod_packet_ckks,
               ISOPOD_ERROR_PARAMETERS);
    CHECK_OPEN(fixture, number, 64, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, naming, 2, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, device_bytes, 1, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, device_bytes, 8, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, tag_bytes, 5, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, tag_bytes, 32, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, columns, 0, ISOPOD_ERROR_COUNT);
    CHECK_OPEN(fixture, stride, 9, ISOPOD_ERROR_STRIDE);
    CHECK_OPEN(fixture, run, 9, ISOPOD_ERROR_STRIDE);
    CHECK_OPEN(fixture, run, 11, ISOPOD_ERROR_STRIDE);
    CHECK_OPEN(fixture, rows, 103, ISOPOD_ERROR_STRIDE);
    CHECK_OPEN(fixture, columns, 1025, ISOPOD_ERROR_STRIDE);
    CHECK_OPEN(fixture, columns, 1000, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, buckets, 3, ISOPOD_ERROR_BUCKETS);
    CHECK_OPEN(fixture, buckets, 4, ISOPOD_ERROR_BUCKETS);
    CHECK_OPEN(fixture, dropped, 26, ISOPOD_ERROR_ROUNDING);
    CHECK_OPEN(fixture, accept_label, ISOPOD_LABEL_COMPAT_2018, ISOPOD_ERROR_LABEL);
    CHECK_OPEN(fixture, params, &isopod_ckks_2048x1_air, ISOPOD_ERROR_KEY_SET);
    CHECK_OPEN(fixture, params, &isopod_ckks_8192x3w_sum, ISOPOD_ERROR_PARAMETERS);
}

static void check_reals(packet_fixture *fixture) {
    CHECK_OPEN(fixture, log2_scale, 9, ISOPOD_ERROR_SCALE);
    CHECK_OPEN(fixture, log2_scale, 23, ISOPOD_ERROR_SCALE);
    CHECK_OPEN(fixture, log2_bound, 7, ISOPOD_ERROR_BOUND);
    CHECK_OPEN(fixture, log2_bound, -19, ISOPOD_ERROR_BOUND);
    CHECK_OPEN(fixture, log2_unit, 32, ISOPOD_ERROR_BOUND);
    CHECK_OPEN(fixture, log2_unit, -32, ISOPOD_ERROR_BOUND);
    CHECK_OPEN(fixture, bound, 1, ISOPOD_ERROR_BOUND);
}

static void check_integers(packet_fixture *fixture) {
    CHECK_OPEN(fixture, log2_scale, 10, ISOPOD_ERROR_SCALE);
    CHECK_OPEN(fixture, log2_bound, 1, ISOPOD_ERROR_SCALE);
    CHECK_OPEN(fixture, log2_unit, 1, ISOPOD_ERROR_BOUND);
    CHECK_OPEN(fixture, bound, 6145, ISOPOD_ERROR_BOUND);
    CHECK_OPEN(fixture, dropped, 13, ISOPOD_ERROR_LEVEL);
}

static void check_keys(packet_fixture *fixture) {
    isopod_key key = fixture->set.key;
    isopod_tables other = fixture->set.tables;
    key.kind = ISOPOD_KEY_SECRET_NTT;
    other.set_id[0] ^= 1u;
    CHECK_OPEN(fixture, key, &key, ISOPOD_ERROR_KEY_KIND);
    fixture->config.method = &isopod_packet_transform;
    CHECK_OPEN(fixture, tables, NULL, ISOPOD_ERROR_TABLES);
    CHECK_OPEN(fixture, tables, &other, ISOPOD_ERROR_TABLES);
    fixture->config.method = &isopod_packet_stream;
    fixture->config.tables = NULL;
    CHECK(opened(fixture) == ISOPOD_OK);
}

/* The key opens by its own call, and no other kind does. */
static void check_key_open(packet_fixture *fixture) {
    isopod_key key;
    CHECK(isopod_packet_key_open(&key, fixture->set.params, fixture->set.blob,
                                 fixture->set.blob_bytes) == ISOPOD_OK);
    fixture->config.key = &key;
    CHECK(opened(fixture) == ISOPOD_OK);
    fixture->config.key = &fixture->set.key;
    CHECK(isopod_packet_key_open(&key, fixture->set.params, fixture->set.blob,
                                 fixture->set.blob_bytes - 4) == ISOPOD_ERROR_KEY_FORMAT);
    fixture->set.blob[ISOPOD_KEY_HEADER_BYTES / 4] ^= 1u << 4;
    CHECK(isopod_packet_key_open(&key, fixture->set.params, fixture->set.blob,
                                 fixture->set.blob_bytes) == ISOPOD_ERROR_KEY_FORMAT);
    CHECK(key.blob == NULL);
    fixture->set.blob[ISOPOD_KEY_HEADER_BYTES / 4] ^= 1u << 4;
}

/* A key in the program: everything but the digest is checked. */
static void check_key_embed(packet_fixture *fixture) {
    uint32_t *blob = fixture->set.blob;
    size_t bytes = fixture->set.blob_bytes;
    isopod_key key;
    CHECK(isopod_packet_key_embed(&key, fixture->set.params, blob, bytes) == ISOPOD_OK);
    CHECK(key.blob == blob);
    CHECK(isopod_packet_key_embed(&key, fixture->set.params, blob, bytes - 4) ==
          ISOPOD_ERROR_KEY_FORMAT);
    CHECK(isopod_packet_key_embed(&key, fixture->set.params, blob, 8) == ISOPOD_ERROR_KEY_FORMAT);
    CHECK(isopod_packet_key_embed(&key, &isopod_ckks_2048x1_air, blob, bytes) ==
          ISOPOD_ERROR_KEY_SET);
    CHECK(isopod_packet_key_embed(&key, &isopod_ckks_8192x3w_sum, blob, bytes) ==
          ISOPOD_ERROR_PARAMETERS);
    uint32_t kept = blob[bytes / 4 - 1];
    blob[bytes / 4 - 1] |= 0xc0000000u;
    CHECK(isopod_packet_key_embed(&key, fixture->set.params, blob, bytes) ==
          ISOPOD_ERROR_KEY_FORMAT);
    CHECK(key.blob == NULL);
    blob[bytes / 4 - 1] = kept;
}

/* A context whose key comes from elsewhere gives the same packets. */
static void check_resume(packet_fixture *fixture) {
    isopod_packet_context again;
    CHECK(opened(fixture) == ISOPOD_OK);
    CHECK(isopod_packet_resume(&again, &fixture->config, &fixture->set.sender,
                               fixture->context.key) == ISOPOD_OK);
    CHECK(again.bytes == fixture->context.bytes && again.device == fixture->context.device);
    for (uint32_t i = 0; i < sizeof again.key; i++) {
        CHECK_QUIET(again.key[i] == fixture->context.key[i]);
    }
    fixture->config.columns = 0;
    CHECK(isopod_packet_resume(&again, &fixture->config, &fixture->set.sender,
                               fixture->context.key) == ISOPOD_ERROR_COUNT);
    CHECK(again.config == NULL && again.key[0] == 0);
    fixture->config.columns = 10;
}

/* Without a device key, a context is resumed, but neither opened nor announced. */
static void check_keyless(packet_fixture *fixture) {
    const uint8_t *device_key = fixture->set.sender.key;
    uint8_t key[ISOPOD_CONTEXT_KEY_BYTES], out[2][MOST];
    size_t length, bytes = isopod_packet_bytes(&fixture->context);
    CHECK(opened(fixture) == ISOPOD_OK);
    fixture_bytes(key, 1, sizeof key);
    for (uint32_t i = 0; i < 2; i++) {
        packet_repeat(fixture);
        fixture->set.sender.key = i == 0 ? device_key : NULL;
        CHECK(isopod_packet_resume(&fixture->context, &fixture->config, &fixture->set.sender,
                                   key) == ISOPOD_OK);
        CHECK(isopod_packet_encrypt(&fixture->context, &fixture->encryptor, &fixture->values,
                                    out[i], MOST, &length) == ISOPOD_OK);
    }
    for (size_t i = 0; i < bytes; i++) {
        CHECK_QUIET(out[0][i] == out[1][i]);
    }
    CHECK(isopod_packet_announce(&fixture->context, &fixture->set.sender, out[0], MOST, &length) ==
          ISOPOD_ERROR_SENDER);
    CHECK(opened(fixture) == ISOPOD_ERROR_SENDER);
    CHECK(fixture->context.config == NULL && fixture->context.key[0] == 0);
    fixture->set.sender.key = device_key;
    CHECK(opened(fixture) == ISOPOD_OK);
}

static void check_public_key(void) {
    fixture set;
    isopod_key key;
    fixture_open(&set, &isopod_ckks_1024x1_sum, ISOPOD_KEY_PUBLIC);
    CHECK(isopod_packet_key_open(&key, set.params, set.blob, set.blob_bytes) ==
          ISOPOD_ERROR_KEY_KIND);
    CHECK(isopod_packet_key_embed(&key, set.params, set.blob, set.blob_bytes) ==
          ISOPOD_ERROR_KEY_KIND);
    CHECK(key.blob == NULL);
}

/* Whether a packet is refused so, is zeros, and no number was taken. */
static void check_refused(packet_fixture *fixture, size_t capacity, isopod_status wanted) {
    uint8_t out[MOST];
    size_t length = 77;
    uint64_t sequence = fixture->set.sender.sequence;
    fixture_bytes(out, 1, sizeof out);
    CHECK(isopod_packet_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                                capacity, &length) == wanted);
    CHECK(length == 0 && fixture->set.sender.sequence == sequence);
    for (uint32_t i = 0; i < MOST; i++) {
        CHECK_QUIET(out[i] == (i < capacity ? 0 : 1 + i));
    }
}

static void check_values(packet_fixture *fixture, const isopod_packet_config *config) {
    static const int32_t wide[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 100000};
    int16_t *data = (int16_t *)(uintptr_t)fixture->values.data, kept = data[4];
    const isopod_values good = fixture->values;
    uint32_t most = config->params->plain != NULL ? 6144u : 2048u;
    for (int32_t sign = -1; sign <= 1; sign += 2) {
        uint8_t out[MOST];
        size_t length;
        data[4] = (int16_t)(sign * (int32_t)(most + 1u));
        check_refused(fixture, MOST, ISOPOD_ERROR_VALUE_RANGE);
        data[4] = (int16_t)(sign * (int32_t)most);
        CHECK(isopod_packet_encrypt(&fixture->context, &fixture->encryptor, &good, out, MOST,
                                    &length) == ISOPOD_OK);
    }
    data[4] = kept;
    fixture->values.data = wide;
    fixture->values.type = ISOPOD_VALUES_INT32;
    check_refused(fixture, MOST, ISOPOD_ERROR_VALUE_RANGE);
    fixture->values.type = ISOPOD_VALUES_FLOAT32;
    check_refused(fixture, MOST, ISOPOD_ERROR_VALUE_TYPE);
    fixture->values.data = NULL;
    check_refused(fixture, MOST, ISOPOD_ERROR_COUNT);
    fixture->values = good;
    fixture->values.count = 9;
    check_refused(fixture, MOST, ISOPOD_ERROR_COUNT);
    fixture->values = good;
}

static void check_calls(packet_fixture *fixture) {
    size_t bytes = isopod_packet_bytes(&fixture->context), length = 77;
    uint8_t item[ISOPOD_CONTEXT_MOST];
    check_refused(fixture, bytes - 1, ISOPOD_ERROR_CAPACITY);
    check_refused(fixture, 0, ISOPOD_ERROR_CAPACITY);
    fixture->encryptor.workspace.bytes--;
    check_refused(fixture, MOST, ISOPOD_ERROR_WORKSPACE);
    fixture->encryptor.workspace.bytes++;
    fixture->set.sender.device++;
    check_refused(fixture, MOST, ISOPOD_ERROR_SENDER);
    CHECK(isopod_packet_announce(&fixture->context, &fixture->set.sender, item, sizeof item,
                                 &length) == ISOPOD_ERROR_SENDER);
    fixture->set.sender.device--;
    fixture->set.sender.epoch = 0;
    check_refused(fixture, MOST, ISOPOD_ERROR_SENDER);
    CHECK(opened(fixture) == ISOPOD_ERROR_SENDER);
    fixture->set.sender.epoch = 3;
    check_refused(fixture, MOST, ISOPOD_ERROR_STATE);
    CHECK(isopod_packet_announce(&fixture->context, &fixture->set.sender, item, sizeof item,
                                 &length) == ISOPOD_ERROR_STATE);
    CHECK(opened(fixture) == ISOPOD_OK);
    CHECK(isopod_packet_announce(&fixture->context, &fixture->set.sender, item, 20, &length) ==
          ISOPOD_ERROR_CAPACITY);
    CHECK(length == 0);
}

/* A number that does not fit the device field. */
static void check_device(packet_fixture *fixture) {
    fixture->config.device_bytes = 2;
    fixture->set.sender.device = 65536;
    CHECK(opened(fixture) == ISOPOD_ERROR_PACKET);
    fixture->config.device_bytes = 4;
    CHECK(opened(fixture) == ISOPOD_OK);
    fixture->set.sender.device = UINT64_C(1) << 32;
    CHECK(opened(fixture) == ISOPOD_ERROR_PACKET);
    fixture->config.device_bytes = 0;
    CHECK(opened(fixture) == ISOPOD_OK);
}

void test_packet_errors(void) {
    static const isopod_params *const sets[2] = {&isopod_ckks_1024x1_sum, &isopod_bfv_1024x1_count};
    for (uint32_t s = 0; s < 2; s++) {
        packet_fixture fixture;
        check_memory_reset();
        check_case(sets[s]->name, s);
        packet_fixture_open(&fixture, sets[s]);
        CHECK(opened(&fixture) == ISOPOD_OK);
        check_forms(&fixture);
        (s == 0 ? check_reals : check_integers)(&fixture);
        check_keys(&fixture);
        check_key_open(&fixture);
        check_key_embed(&fixture);
        check_resume(&fixture);
        check_keyless(&fixture);
        check_values(&fixture, &fixture.config);
        check_calls(&fixture);
        check_device(&fixture);
    }
    check_public_key();
}
