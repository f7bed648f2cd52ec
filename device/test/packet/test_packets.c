/* Known answers of contexts and packets, for every way to compute; nothing stays in memory. */
#include "../harness/check.h"
#include "packet_input.h"
#include "../harness/tests.h"
#include "../vectors_generated.h"

#include "../../src/tag/siphash.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define MOST_PACKET 1600u

typedef struct isopod_vector_packets vector;

static int all_zero(const void *memory, size_t length) {
    uint8_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        bits |= ((const uint8_t *)memory)[i];
    }
    return bits == 0;
}

static isopod_values narrowed(isopod_values values) {
    int16_t *out = check_memory(values.count * sizeof *out);
    for (uint32_t i = 0; i < values.count; i++) {
        out[i] = (int16_t)((const int32_t *)values.data)[i];
    }
    const isopod_values narrow = {out, values.count, ISOPOD_VALUES_INT16};
    return narrow;
}

static isopod_values values_of(const isopod_params *params, const vector *row) {
    uint32_t count = row->rows * row->columns;
    if (params->plain != NULL) {
        return vector_integers(row->numbers, count, params->plain->modulus);
    }
    isopod_values wide = vector_numbers("i32", count, 11);
    return row->numbers[0] == 'h' ? narrowed(wide) : wide;
}

static void configure(packet_fixture *fixture, const vector *row, uint8_t *packing) {
    isopod_packet_config *config = &fixture->config;
    uint32_t is_named = row->packing[0] != 0;
    fixture_from_hex(packing, row->packing);
    config->packing = is_named ? packing : NULL;
    config->columns = (uint16_t)row->columns;
    config->rows = (uint16_t)row->rows;
    config->stride = (uint16_t)row->stride;
    config->run = (uint16_t)row->run;
    config->log2_scale = (uint8_t)row->log2_scale;
    config->log2_unit = (int8_t)row->log2_unit;
    config->dropped = (uint8_t)row->dropped;
    config->number = (uint8_t)row->number;
    config->naming = (uint8_t)row->naming;
    config->device_bytes = (uint8_t)row->device_bytes;
    config->tag_bytes = (uint8_t)row->tag_bytes;
    fixture->values = values_of(config->params, row);
}

static void check_context(packet_fixture *fixture, const vector *row) {
    uint8_t item[ISOPOD_CONTEXT_MOST];
    size_t length;
    packet_repeat(fixture);
    CHECK(isopod_packet_open(&fixture->context, &fixture->config, &fixture->set.sender) ==
          ISOPOD_OK);
    CHECK(fixture_is_hex(fixture->context.key, sizeof fixture->context.key, row->context_key));
    CHECK(isopod_packet_announce(&fixture->context, &fixture->set.sender, item, sizeof item,
                                 &length) == ISOPOD_OK);
    CHECK(fixture_is_hex(item, length, row->context));
}

static void check_packet(packet_fixture *fixture, const vector *row,
                         const isopod_packet_method *method) {
    uint8_t *out = check_memory(MOST_PACKET);
    size_t length;
    fixture->config.method = method;
    packet_repeat(fixture);
    packet_workspace(fixture);
    CHECK(isopod_packet_open(&fixture->context, &fixture->config, &fixture->set.sender) ==
          ISOPOD_OK);
    if (row->naming == ISOPOD_NAMED_BY_SEQUENCE) {
        fixture->set.sender.sequence = row->counter;
    }
    CHECK(isopod_packet_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                                MOST_PACKET, &length) == ISOPOD_OK);
    CHECK(length == isopod_packet_bytes(&fixture->context));
    CHECK(fixture_is_hex(out, length, row->packet));
    CHECK(all_zero(fixture->encryptor.workspace.memory, fixture->encryptor.workspace.bytes));
    isopod_packet_close(&fixture->context);
    CHECK(all_zero(&fixture->context, sizeof fixture->context));
}

static void check_row(const vector *row) {
    static const isopod_packet_method *const methods[3] = {
        &isopod_packet_stream, &isopod_packet_transform, &isopod_packet_by_count};
    static uint8_t packing[ISOPOD_PACKING_BYTES];
    packet_fixture fixture;
    packet_fixture_open(&fixture, vector_set(row->set));
    vector_configure(&fixture.set, ISOPOD_SUITE_CHACHA20, 1);
    configure(&fixture, row, packing);
    check_context(&fixture, row);
    for (uint32_t m = 0; m < LENGTH(methods); m++) {
        size_t mark = check_memory_mark();
        check_packet(&fixture, row, methods[m]);
        check_memory_release(mark);
    }
}

static void check_siphashes(void) {
    uint8_t key[16], message[257], out[16];
    fixture_bytes(key, 0, sizeof key);
    fixture_bytes(message, 0, sizeof message);
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_siphashes); r++) {
        const struct isopod_vector_siphashes *row = &isopod_vectors_siphashes[r];
        for (uint32_t first = 0; first <= row->length; first += 5) {
            isopod_siphash hash;
            isopod_siphash_start(&hash, key, r % 2 == first % 2);
            isopod_siphash_add(&hash, message, first);
            isopod_siphash_add(&hash, message + first, row->length - first);
            isopod_siphash_finish(&hash, out);
            CHECK_QUIET(r % 2 == first % 2 ? fixture_is_hex(out, 16, row->sip128)
                                           : fixture_is_hex(out, 8, row->sip64));
        }
    }
}

static uint32_t random_below(uint32_t *state, uint32_t bound) {
    return (uint32_t)((uint64_t)vector_next(state) * bound >> 32);
}

/* A layout, most often of few coefficients. */
static void configure_at_random(packet_fixture *fixture, uint32_t *state) {
    isopod_packet_config *config = &fixture->config;
    uint32_t many = random_below(state, 8) == 0;
    config->columns = (uint16_t)(1 + random_below(state, many ? 90 : 6));
    config->run = (uint16_t)(config->columns + random_below(state, 3));
    config->stride = (uint16_t)(config->run + random_below(state, 40));
    config->rows = (uint16_t)(1 + random_below(state, 5));
    config->dropped = (uint8_t)random_below(state, 7);
    config->number = (uint8_t)random_below(state, 64);
    config->naming = (uint8_t)random_below(state, 2);
    config->device_bytes = (uint8_t)(2 * random_below(state, 3));
    config->tag_bytes = (uint8_t)(4u << random_below(state, 3));
    uint32_t count = config->rows * (uint32_t)config->columns;
    int16_t *values = check_memory(count * sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (int16_t)((int32_t)random_below(state, 4097) - 2048);
    }
    const isopod_values chosen = {values, count, ISOPOD_VALUES_INT16};
    fixture->values = chosen;
}

static size_t encrypt_by(packet_fixture *fixture, const isopod_packet_method *method,
                         uint8_t *out) {
    size_t length;
    fixture->config.method = method;
    packet_repeat(fixture);
    packet_workspace(fixture);
    CHECK_QUIET(isopod_packet_open(&fixture->context, &fixture->config, &fixture->set.sender) ==
                ISOPOD_OK);
    CHECK_QUIET(isopod_packet_encrypt(&fixture->context, &fixture->encryptor, &fixture->values, out,
                                      MOST_PACKET, &length) == ISOPOD_OK);
    return length;
}

/* Encrypts values that lie in `out`. */
static size_t encrypt_in_place(packet_fixture *fixture, const isopod_packet_method *method,
                               uint8_t *out) {
    const isopod_values values = fixture->values;
    for (uint32_t i = 0; i < values.count; i++) {
        ((int16_t *)(void *)out)[i] = ((const int16_t *)values.data)[i];
    }
    fixture->values.data = out;
    size_t length = encrypt_by(fixture, method, out);
    fixture->values = values;
    return length;
}

/* Both ways give the same bytes for every layout. */
static void check_ways(const isopod_params *params, uint32_t *state) {
    packet_fixture fixture;
    packet_fixture_open(&fixture, params);
    for (uint32_t turn = 0; turn < 25; turn++) {
        size_t mark = check_memory_mark();
        uint8_t *out[3] = {check_memory(MOST_PACKET), check_memory(MOST_PACKET),
                           check_memory(MOST_PACKET)};
        configure_at_random(&fixture, state);
        size_t length = encrypt_by(&fixture, &isopod_packet_stream, out[0]);
        CHECK_QUIET(length > 0 &&
                    length == encrypt_in_place(&fixture, &isopod_packet_stream, out[1]) &&
                    length == encrypt_in_place(&fixture, &isopod_packet_transform, out[2]));
        for (size_t i = 0; i < length; i++) {
            CHECK_QUIET(out[0][i] == out[1][i] && out[0][i] == out[2][i]);
        }
        check_memory_release(mark);
    }
}

static void check_layouts(void) {
    static const isopod_params *const sets[4] = {&isopod_ckks_1024x1_sum, &isopod_ckks_2048x1_air,
                                                 &isopod_bfv_1024x1_count,
                                                 &isopod_bfv_2048x1_count};
    uint32_t state = VECTOR_FIRST;
    for (uint32_t s = 0; s < LENGTH(sets); s++) {
        check_memory_reset();
        check_case(sets[s]->name, s);
        check_ways(sets[s], &state);
    }
}

void test_packets(void) {
    check_siphashes();
    check_layouts();
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_packets); r++) {
        check_memory_reset();
        check_case(isopod_vectors_packets[r].set, r);
        check_row(&isopod_vectors_packets[r]);
    }
}
