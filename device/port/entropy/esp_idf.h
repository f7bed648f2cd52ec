/* Entropy from an ESP32's generator. It is truly random only while Wi-Fi or Bluetooth is enabled,
 * or between bootloader_random_enable and bootloader_random_disable; otherwise it silently becomes
 * a pseudo-random generator, and esp_fill_random cannot fail. Firmware therefore says which of the
 * two holds:
 *
 *   isopod_entropy_esp_idf         without radio: switches the noise of the ADC on for each call.
 * No ADC, I2S (ESP32), Wi-Fi or Bluetooth may be in use meanwhile isopod_entropy_esp_idf_radio only
 * while Wi-Fi or Bluetooth is enabled, which a function of the firmware says; `state` is an
 * isopod_esp_idf_radio */
#ifndef ISOPOD_PORT_ENTROPY_ESP_IDF_H
#define ISOPOD_PORT_ENTROPY_ESP_IDF_H

#include <bootloader_random.h>
#include <esp_random.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int (*is_radio_on)(void); /* 0: there is no entropy */
} isopod_esp_idf_radio;

static inline int isopod_entropy_esp_idf(void *state, uint8_t *out, size_t length) {
    (void)state;
    bootloader_random_enable();
    esp_fill_random(out, length);
    bootloader_random_disable();
    return 0;
}

static inline int isopod_entropy_esp_idf_radio(void *state, uint8_t *out, size_t length) {
    const isopod_esp_idf_radio *radio = state;
    if (!radio->is_radio_on()) {
        return -1;
    }
    esp_fill_random(out, length);
    return radio->is_radio_on() ? 0 : -1;
}

#endif
