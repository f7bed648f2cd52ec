/* A set, a key, a context and its encryptor for tests of packets (packet_input.h). */
#include "packet_input.h"

#include "../harness/check.h"

#define COUNT 10u
#define SEQUENCE 42u

static uint8_t entropy_first;

void packet_workspace(packet_fixture *fixture) {
    const isopod_packet_config *config = &fixture->config;
    uint32_t rows = config->rows != 0 ? config->rows : 1u;
    uint32_t coefficients = rows * (config->run != 0 ? config->run : config->columns);
    int is_stream =
        config->method == &isopod_packet_stream ||
        (config->method == &isopod_packet_by_count && coefficients <= ISOPOD_PACKET_STREAM_MOST);
    size_t bytes = is_stream ? ISOPOD_PACKET_STREAM_WORKSPACE(coefficients)
                             : ISOPOD_PACKET_TRANSFORM_WORKSPACE(fixture->set.n);
    const isopod_workspace workspace = {check_memory(bytes), bytes};
    fixture->encryptor.workspace = workspace;
}

void packet_repeat(packet_fixture *fixture) {
    isopod_entropy entropy = {fixture_fill, &entropy_first, {0}, 0};
    entropy_first = 0;
    fixture->set.entropy = entropy;
    fixture->set.sender.sequence = SEQUENCE;
}

void packet_fixture_open(packet_fixture *fixture, const isopod_params *params) {
    static const packet_fixture zero;
    uint32_t is_integer = params->plain != NULL;
    int16_t *values = check_memory(sizeof *values * COUNT);
    *fixture = zero;
    fixture_open(&fixture->set, params, ISOPOD_KEY_SECRET_TERNARY);
    fixture_configure(&fixture->set, &isopod_suite_chacha20, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = (int16_t)(i * 397u % 4000u - 2000u);
    }
    const isopod_packet_config config = {.params = params,
                                         .key = &fixture->set.key,
                                         .scheme =
                                             is_integer ? &isopod_packet_bfv : &isopod_packet_ckks,
                                         .method = &isopod_packet_stream,
                                         .tables = &fixture->set.tables,
                                         .columns = COUNT,
                                         .log2_scale = is_integer ? 0 : 18,
                                         .log2_unit = is_integer ? 0 : -11,
                                         .dropped = 5,
                                         .number = 3,
                                         .device_bytes = 4};
    const isopod_values ten = {values, COUNT, ISOPOD_VALUES_INT16};
    fixture->config = config;
    fixture->values = ten;
    fixture->encryptor.entropy = &fixture->set.entropy;
    fixture->encryptor.sender = &fixture->set.sender;
    packet_repeat(fixture);
    packet_workspace(fixture);
}
