/* A context of pads and its encryptor for tests (pad_input.h). */
#include "pad_input.h"

#include "../harness/check.h"
#include "../harness/fixture.h"

void pad_fixture_open(pad_fixture *fixture) {
    static const pad_fixture zero;
    uint8_t *device_key = check_memory(ISOPOD_FRAME_KEY_BYTES);
    uint8_t *key_id = check_memory(ISOPOD_KEY_ID_BYTES);
    int16_t *values = check_memory(sizeof *values * PAD_COLUMNS);
    *fixture = zero;
    fixture->pad_key = check_memory(ISOPOD_PAD_KEY_BYTES);
    fixture_bytes(device_key, 0x31, ISOPOD_FRAME_KEY_BYTES);
    fixture_bytes(fixture->pad_key, 0x52, ISOPOD_PAD_KEY_BYTES);
    fixture_bytes(key_id, 0x73, ISOPOD_KEY_ID_BYTES);
    for (uint32_t i = 0; i < PAD_COLUMNS; i++) {
        values[i] = (int16_t)(i * 397u % 4000u - 2000u);
    }
    const isopod_sender sender = {.device = 1001, .epoch = 3, .sequence = 42, .key = device_key};
    const isopod_pad_config config = {
        .key_id = key_id, .bound = 2047, .columns = PAD_COLUMNS, .width = 2, .device_bytes = 2};
    const isopod_values ten = {values, PAD_COLUMNS, ISOPOD_VALUES_INT16};
    fixture->sender = sender;
    fixture->config = config;
    fixture->values = ten;
    fixture->encryptor.sender = &fixture->sender;
    CHECK(isopod_pad_derive(&fixture->keys, &fixture->config, &fixture->sender, fixture->pad_key) ==
          ISOPOD_OK);
    CHECK(isopod_pad_open(&fixture->context, &fixture->config, &fixture->sender, &fixture->keys) ==
          ISOPOD_OK);
}
