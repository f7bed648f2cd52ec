/* Known answers of packets of TFHE and of their contexts, and their refusals; nothing stays in
 * memory. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/tfhe_packet.h"

#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/tfhe_fixture.h"
#include "../vectors_generated.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define MOST 256u

typedef struct {
    tfhe_fixture set;
    isopod_tfhe_values values;
    isopod_tfhe_packet_config config;
    isopod_tfhe_packet_context context;
    isopod_packet_encryptor encryptor;
} packet_fixture;

static uint8_t packing[ISOPOD_PACKING_BYTES];

static void prepare(packet_fixture *fixture, const struct isopod_vector_tfhe_packets *row) {
    const isopod_tfhe_params *params = tfhe_fixture_set(row->set);
    uint8_t *device_key = check_memory(32);
    tfhe_fixture_open(&fixture->set, params, TFHE_STREAM);
    fixture_from_hex(device_key, isopod_vectors_device_keys[1].key);
    fixture_from_hex(packing, row->packing);
    fixture->set.sender.key = device_key;
    fixture->values = tfhe_fixture_values(row->schema);
    const isopod_tfhe_packet_config config = {.params = params,
                                              .key = &fixture->set.key,
                                              .schema = &fixture->values,
                                              .packing = row->packing[0] != 0 ? packing : NULL,
                                              .accept_label = params->label,
                                              .number = 7,
                                              .naming = (uint8_t)row->naming,
                                              .device_bytes = 4};
    const isopod_packet_encryptor encryptor = {.workspace = {check_memory(4096), 4096},
                                               .entropy = &fixture->set.entropy,
                                               .sender = &fixture->set.sender};
    fixture->config = config;
    fixture->encryptor = encryptor;
    fixture->set.sender.sequence = 42;
}

static isopod_status opened(packet_fixture *fixture) {
    return isopod_tfhe_packet_open(&fixture->context, &fixture->config, &fixture->set.sender);
}

static isopod_status encrypt(packet_fixture *fixture, uint8_t out[MOST], size_t *length) {
    return isopod_tfhe_packet_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                                      MOST, length);
}

static void check_answers(packet_fixture *fixture, const struct isopod_vector_tfhe_packets *row) {
    uint8_t out[MOST];
    size_t length;
    CHECK(opened(fixture) == ISOPOD_OK);
    CHECK(fixture_is_hex(fixture->context.key, sizeof fixture->context.key, row->context_key));
    CHECK(isopod_tfhe_packet_announce(&fixture->context, &fixture->set.sender, out, sizeof out,
                                      &length) == ISOPOD_OK);
    CHECK(fixture_is_hex(out, length, row->context));
    fixture->encryptor.workspace.bytes =
        ISOPOD_TFHE_PACKET_WORKSPACE(fixture->context.coefficients, fixture->set.word_bytes);
    CHECK(encrypt(fixture, out, &length) == ISOPOD_OK);
    CHECK(length == isopod_tfhe_packet_bytes(&fixture->context));
    CHECK(fixture_is_hex(out, length, row->packet));
    for (size_t i = 0; i < 4096; i++) {
        CHECK_QUIET(((const uint8_t *)fixture->encryptor.workspace.memory)[i] == 0);
    }
}

#define CHECK_OPEN(fixture, member, value, wanted)                                                 \
    do {                                                                                           \
        const isopod_tfhe_packet_config kept = (fixture)->config;                                  \
        (fixture)->config.member = (value);                                                        \
        CHECK(opened(fixture) == (wanted));                                                        \
        CHECK((fixture)->context.config == NULL);                                                  \
        (fixture)->config = kept;                                                                  \
        CHECK_QUIET(opened(fixture) == ISOPOD_OK);                                                 \
    } while (0)

static void check_forms(packet_fixture *fixture) {
    isopod_tfhe_key key = fixture->set.key;
    key.kind = ISOPOD_TFHE_KEY_SECRET_TRANSFORMED;
    const isopod_tfhe_run long_runs[1] = {
        {NULL, fixture->set.n == 1024 ? 110 : 210, ISOPOD_TFHE_U8}};
    const isopod_tfhe_values too_long = {long_runs, 1}, none = {long_runs, 0};
    CHECK_OPEN(fixture, number, 64, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, naming, 2, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, tag_bytes, 7, ISOPOD_ERROR_PACKET);
    CHECK_OPEN(fixture, columns, 7, ISOPOD_ERROR_COLUMNS);
    CHECK_OPEN(fixture, accept_label, ISOPOD_LABEL_COMPAT_2018, ISOPOD_ERROR_LABEL);
    CHECK_OPEN(fixture, key, &key, ISOPOD_ERROR_KEY_KIND);
    CHECK_OPEN(fixture, schema, &none, ISOPOD_ERROR_COUNT);
    CHECK_OPEN(fixture, schema, &too_long, ISOPOD_ERROR_PACKET);
}

static void check_refusals(packet_fixture *fixture) {
    uint8_t out[MOST] = {1};
    size_t length;
    isopod_tfhe_run runs[ISOPOD_TFHE_RUNS];
    isopod_tfhe_values other = {runs, fixture->values.count};
    for (uint32_t r = 0; r < other.count; r++) {
        runs[r] = fixture->values.runs[r];
    }
    runs[0].count--;
    CHECK(isopod_tfhe_packet_encrypt(&fixture->context, &fixture->encryptor, &other, out, MOST,
                                     &length) == ISOPOD_ERROR_COUNT);
    CHECK(length == 0 && out[0] == 0);
    CHECK(isopod_tfhe_packet_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                                     fixture->context.bytes - 1u,
                                     &length) == ISOPOD_ERROR_CAPACITY);
    fixture->encryptor.workspace.bytes--;
    CHECK(encrypt(fixture, out, &length) == ISOPOD_ERROR_WORKSPACE);
    fixture->encryptor.workspace.bytes++;
    fixture->set.sender.device++;
    CHECK(encrypt(fixture, out, &length) == ISOPOD_ERROR_SENDER);
    fixture->set.sender.device--;
    isopod_tfhe_packet_close(&fixture->context);
    CHECK(encrypt(fixture, out, &length) == ISOPOD_ERROR_STATE);
}

void test_tfhe_packets(void) {
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_tfhe_packets); r++) {
        packet_fixture fixture;
        check_memory_reset();
        check_case(isopod_vectors_tfhe_packets[r].set, r);
        prepare(&fixture, &isopod_vectors_tfhe_packets[r]);
        check_answers(&fixture, &isopod_vectors_tfhe_packets[r]);
        check_forms(&fixture);
        check_refusals(&fixture);
    }
}
