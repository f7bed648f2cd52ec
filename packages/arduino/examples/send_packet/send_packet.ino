/* Reads pin A0 every minute, encrypts the reading and sends it as a packet of 18 bytes. Fits an
 * Arduino Uno: 2 KB of RAM, 32 KB of flash. */
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1 /* packets need it: see SECURITY.md */
#include <EEPROM.h>
#include <isopod.h>

#include "board_random.h"
#include "packet_context.h"
#include "packet_keys.h" /* extras/packet_keys.c */

#ifndef INTERVAL_MS
#define INTERVAL_MS 60000
#endif

const uint8_t PACKET_BYTES = 18;
const int16_t MIDDLE = 512;

/* The first 512 bytes of the EEPROM keep the sequence, as two pages of flash would
 * (isopod/counter.h). They are all ones on a new board; what another program left there is to be
 * erased before. */
const uint16_t PAGE_BYTES = 256;

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

/* One record of the EEPROM reserves 64 sequences; a restart skips what is left of them. */
static isopod_packet_counter counter = {isopod_counter_next, &memory, 64, 0};

/* Random bytes of the next packet. They are drawn before it begins: an Uno has no RAM for both at
 * once. */
static uint8_t fresh[ISOPOD_ENTROPY_BYTES];
static bool is_fresh;

static int take_fresh(void *, uint8_t *out, size_t length) {
    if (!is_fresh || length != sizeof fresh) {
        return -1;
    }
    memcpy(out, fresh, length);
    memset(fresh, 0, sizeof fresh);
    is_fresh = false;
    return 0;
}

static isopod_entropy entropy = {take_fresh, NULL, {}, 0};
/* The epoch stays: the sequence goes on after a restart. */
static isopod_sender sender = {ISOPOD_DEVICE, 1, 0, isopod_device_key, NULL, NULL};
alignas(8) static uint8_t workspace[ISOPOD_PACKET_STREAM_WORKSPACE(1)];
static const isopod_packet_encryptor encryptor = {{workspace, sizeof workspace}, &entropy, &sender, &counter};
static isopod_packet_config config;
static isopod_packet_context context;
static isopod_key key;
static isopod_status status;

/* Call a radio's library here in place of the serial line. */
static void send(const uint8_t *packet, size_t length) {
    for (size_t i = 0; i < length; i++) {
        Serial.print(packet[i] >> 4, HEX);
        Serial.print(packet[i] & 15, HEX);
    }
    Serial.println();
}

static isopod_status send_reading(int16_t reading) {
    const isopod_values values = {&reading, 1, ISOPOD_VALUES_INT16};
    uint8_t packet[PACKET_BYTES];
    size_t length;
    is_fresh = board_random(NULL, fresh, sizeof fresh) == 0;
    isopod_status made = isopod_packet_encrypt(&context, &encryptor, &values, packet, sizeof packet, &length);
    if (made == ISOPOD_OK) {
        send(packet, length);
    }
    return made;
}

void setup() {
    Serial.begin(115200);
    status = isopod_packet_key_embed(&key, &isopod_ckks_1024x1_sum, isopod_packet_key, sizeof isopod_packet_key);
    if (status == ISOPOD_OK) {
        describe_packets(&config, &key);
        status = isopod_packet_resume(&context, &config, &sender, isopod_context_key);
    }
}

void loop() {
    if (status == ISOPOD_OK) {
        status = send_reading(analogRead(A0) - MIDDLE);
    }
    /* The number alone: the texts of isopod_status_text would take twice the RAM of an Uno. */
    if (status != ISOPOD_OK) {
        Serial.print("status ");
        Serial.println(status);
        Serial.flush();
    }
    delay(INTERVAL_MS);
}
