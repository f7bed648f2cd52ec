/* Known answers of pads, and sums of packets: every pad that is added is taken off again. */
#include "../harness/check.h"
#include "../harness/tests.h"
#include "../harness/vector_input.h"
#include "../vectors_generated.h"
#include "pad_input.h"

#include "../../src/pad/pad.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])
#define MOST 1600u
#define BODY_AT 5u /* behind context, device and counter */

typedef struct isopod_vector_pads vector;

static void configure(pad_fixture *fixture, const vector *row, uint8_t *packing) {
    isopod_pad_config *config = &fixture->config;
    fixture_from_hex((uint8_t *)(uintptr_t)fixture->sender.key, isopod_vectors_device_keys[1].key);
    fixture_from_hex((uint8_t *)(uintptr_t)config->key_id, row->key);
    fixture_from_hex(fixture->pad_key, row->pad_key);
    fixture_from_hex(packing, row->packing);
    config->packing = row->packing[0] != 0 ? packing : NULL;
    config->bound = row->bound;
    config->columns = (uint16_t)row->columns;
    config->width = (uint8_t)row->width;
    config->ratchet = (uint8_t)row->ratchet;
    config->number = (uint8_t)row->number;
    config->device_bytes = (uint8_t)row->device_bytes;
    config->tag_bytes = (uint8_t)row->tag_bytes;
    fixture->values = vector_integers("s32", row->columns, 2u * row->bound + 1u);
}

static void check_item(pad_fixture *fixture, const vector *row) {
    uint8_t item[ISOPOD_PAD_CONTEXT_MOST];
    size_t length;
    CHECK(isopod_pad_announce(&fixture->context, &fixture->sender, item, sizeof item, &length) ==
          ISOPOD_OK);
    CHECK(fixture_is_hex(item, length, row->context));
}

static void check_row(const vector *row) {
    static uint8_t packing[ISOPOD_PACKING_BYTES];
    uint8_t *out = check_memory(MOST);
    size_t length;
    pad_fixture fixture;
    pad_fixture_open(&fixture);
    configure(&fixture, row, packing);
    CHECK(isopod_pad_derive(&fixture.keys, &fixture.config, &fixture.sender, fixture.pad_key) ==
          ISOPOD_OK);
    for (uint32_t epoch = 1; epoch < fixture.sender.epoch && row->ratchet != 0; epoch++) {
        isopod_pad_ratchet(fixture.keys.root);
    }
    CHECK(fixture_is_hex(fixture.keys.key, 32, row->context_key));
    CHECK(fixture_is_hex(fixture.keys.root, 32, row->root));
    CHECK(isopod_pad_open(&fixture.context, &fixture.config, &fixture.sender, &fixture.keys) ==
          ISOPOD_OK);
    check_item(&fixture, row);
    fixture.sender.sequence = row->counter;
    CHECK(isopod_pad_encrypt(&fixture.context, &fixture.encryptor, &fixture.values, out, MOST,
                             &length) == ISOPOD_OK);
    CHECK(length == isopod_pad_bytes(&fixture.context) && fixture_is_hex(out, length, row->packet));
}

/* The packet of a sequence in an epoch, of values i + column. */
static void encrypt(pad_fixture *fixture, uint32_t epoch, uint32_t sequence, uint8_t *out) {
    int16_t *data = (int16_t *)(void *)out;
    const isopod_values values = {out, PAD_COLUMNS, ISOPOD_VALUES_INT16};
    size_t length;
    fixture->sender.epoch = epoch;
    fixture->sender.sequence = sequence;
    for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
        data[i] = (int16_t)(sequence % 1000u + i);
    }
    CHECK_QUIET(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &values, out, 64,
                                   &length) == ISOPOD_OK);
}

static uint32_t number_at(const uint8_t *out, uint32_t i) {
    return out[BODY_AT + 2 * i] | (uint32_t)out[BODY_AT + 2 * i + 1] << 8;
}

/* Takes a pad off the sums, or adds it for the sign -1. */
static void take_off(pad_fixture *fixture, uint32_t sequence, uint32_t sign, uint32_t *sums) {
    uint8_t pad[2 * PAD_COLUMNS] = {0};
    uint32_t block[ISOPOD_CHACHA20_WORDS];
    fixture->context.epoch = 3;
    fixture->context.sixteen = ISOPOD_PAD_NO_NODE;
    fixture->context.sequence = sequence;
    isopod_pad_add(&fixture->context, pad, 0, block);
    for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
        sums[i] -= sign * (pad[2 * i] | (uint32_t)pad[2 * i + 1] << 8);
    }
}

/* Two pads are left of 40 packets, in whatever order a context makes them, and if it goes to
 * another epoch after each. */
static void check_sum(pad_fixture *fixture, uint32_t first, uint32_t is_backward) {
    uint32_t sums[PAD_COLUMNS] = {0}, *packet = check_memory(64);
    uint8_t *out = (uint8_t *)packet;
    for (uint32_t step = 0; step < 40; step++) {
        uint32_t sequence = first + (is_backward ? 39u - step : step);
        if (is_backward) {
            encrypt(fixture, 4, sequence, out);
        }
        encrypt(fixture, 3, sequence, out);
        for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
            sums[i] += number_at(out, i) - sequence % 1000u - i;
        }
    }
    take_off(fixture, first, 1, sums);
    take_off(fixture, first + 40u, UINT32_MAX, sums);
    for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
        CHECK_QUIET((sums[i] & 0xffffu) == 0);
    }
}

static void check_sums(pad_fixture *fixture) {
    static const uint32_t firsts[5] = {0, 14, 4070, 0x0fffffe0, 0xffffffff - 40};
    for (uint32_t f = 0; f < LENGTH(firsts); f++) {
        size_t mark = check_memory_mark();
        check_sum(fixture, firsts[f], 0);
        check_sum(fixture, firsts[f], 1);
        check_memory_release(mark);
    }
}

/* Values in `out` and elsewhere, of both widths, give the same packet. */
static void check_places(pad_fixture *fixture) {
    int32_t wide[PAD_COLUMNS];
    uint8_t out[2][64];
    size_t length;
    for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
        wide[i] = (int32_t)i;
    }
    const isopod_values values = {wide, PAD_COLUMNS, ISOPOD_VALUES_INT32};
    uint32_t *memory = check_memory(64);
    encrypt(fixture, 3, 2000, (uint8_t *)memory);
    fixture->sender.sequence = 2000;
    CHECK(isopod_pad_encrypt(&fixture->context, &fixture->encryptor, &values, out[0], 64,
                             &length) == ISOPOD_OK);
    for (size_t i = 0; i < length; i++) {
        CHECK_QUIET(out[0][i] == ((const uint8_t *)memory)[i]);
    }
}

void test_pads(void) {
    pad_fixture fixture;
    for (uint32_t r = 0; r < LENGTH(isopod_vectors_pads); r++) {
        check_memory_reset();
        check_case("pads", r);
        check_row(&isopod_vectors_pads[r]);
    }
    check_memory_reset();
    check_case("sums", 0);
    pad_fixture_open(&fixture);
    check_sums(&fixture);
    check_places(&fixture);
}
