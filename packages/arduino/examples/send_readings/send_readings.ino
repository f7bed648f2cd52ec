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
static const isopod_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender};
static isopod_ckks_config config;
static isopod_ckks context;
static isopod_frame frame;

/* The first 256 bytes of the EEPROM count the starts, as two pages of flash would (isopod/counter.h).
   They are all ones on a new board; what another program left there is to be erased before. */
const uint16_t PAGE_BYTES = 128;

static int eeprom_read(void *, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = EEPROM.read(page * PAGE_BYTES + (uint16_t)offset + i);
    }
    return 0;
}

static int eeprom_write(void *, uint8_t page, uint32_t offset, const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        EEPROM.update(page * PAGE_BYTES + (uint16_t)offset + i, bytes[i]);
    }
    return 0;
}

static int eeprom_erase(void *, uint8_t page) {
    for (uint16_t i = 0; i < PAGE_BYTES; i++) {
        EEPROM.update(page * PAGE_BYTES + i, 0xFF);
    }
    return 0;
}

static const isopod_flash memory = {eeprom_read, eeprom_write, eeprom_erase, NULL, PAGE_BYTES, 1};

static isopod_status send_readings(const float *readings) {
    const isopod_values values = {readings, READINGS, ISOPOD_VALUES_FLOAT32};
    isopod_status status = isopod_ckks_begin(&context, &config, &encryptor, &values);
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
    sender.key = (const uint8_t *)isopod_frame_key;
    config.params = &isopod_ckks_1024x1_sum;
    config.tables = &isopod_tables_ckks_1024x1_sum;
    config.suite = &isopod_suite_chacha20;
    config.key = &key;
    config.chunks = CHUNKS;
    config.log2_scale = 17;
    config.log2_bound = 6;

    float readings[READINGS];
    for (uint8_t hour = 0; hour < READINGS; hour++) {
        readings[hour] = 20.0 + 0.1 * hour;
    }
    isopod_status status = isopod_public_key_open(&key, config.params, isopod_public_key, sizeof isopod_public_key);
    if (status == ISOPOD_OK) {
        status = isopod_sender_start(&sender, &memory);
    }
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
