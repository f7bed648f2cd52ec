/* Encrypts readings under the owner's public key and prints their frame, hexadecimal. */
#include <EEPROM.h>
#include <isopod.h>

#include "board_random.h"
#include "isopod_keys.h" /* isopod keygen --set ckks-1024x1-sum --seeded-public-key */

const uint8_t CHUNKS = 8;
const uint8_t READINGS = 24;

alignas(8) static uint8_t workspace[ISOPOD_CKKS_PUBLIC_WORKSPACE(1024, CHUNKS, 0)];
static isopod_key key;
static isopod_entropy entropy;
static isopod_sender sender;
static isopod_ckks_config config;
static isopod_ckks context;
static isopod_frame frame;

/* Starts so far, this one included; written before it is used. */
static uint32_t board_starts() {
    uint32_t starts;
    EEPROM.get(0, starts);
    starts = starts == 0xFFFFFFFFUL ? 1 : starts + 1;
    EEPROM.put(0, starts);
    return starts;
}

static isopod_status send_readings(const float *readings) {
    const isopod_values values = {readings, READINGS, ISOPOD_VALUES_FLOAT32};
    isopod_status status = isopod_ckks_begin(&context, &config, &values);
    if (status == ISOPOD_OK) {
        status = isopod_frame_begin(&frame, &context);
    }
    while (status == ISOPOD_OK) {
        uint8_t buffer[32];
        isopod_piece piece = {};
        status = isopod_frame_next(&frame, buffer, sizeof buffer, &piece);
        for (size_t i = 0; i < piece.length; i++) {
            Serial.print(buffer[i] >> 4, HEX);
            Serial.print(buffer[i] & 15, HEX);
        }
        Serial.println();
    }
    return status;
}

void setup() {
    Serial.begin(115200);
    entropy.fill = board_random;
    sender.device = ISOPOD_DEVICE;
    sender.epoch = board_starts();
    sender.key = (const uint8_t *)isopod_frame_key;
    config.params = &isopod_ckks_1024x1_sum;
    config.tables = &isopod_tables_ckks_1024x1_sum;
    config.suite = &isopod_suite_chacha20;
    config.key = &key;
    config.entropy = &entropy;
    config.sender = &sender;
    config.workspace = workspace;
    config.workspace_bytes = sizeof workspace;
    config.chunks = CHUNKS;
    config.log2_scale = 17;
    config.log2_bound = 6;

    float readings[READINGS];
    for (uint8_t hour = 0; hour < READINGS; hour++) {
        readings[hour] = 20.0 + 0.1 * hour;
    }
    isopod_status status = isopod_public_key_open(&key, config.params, isopod_public_key, sizeof isopod_public_key);
    if (status == ISOPOD_OK) {
        status = send_readings(readings);
    }
    /* The number alone: the texts of isopod_status_text would take 4 KB of an ATmega's RAM. */
    Serial.print("status ");
    Serial.println(status);
    Serial.flush();
}

void loop() {
}
