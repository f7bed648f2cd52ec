/* Encrypts readings and prints their frame, a line of hexadecimal digits for each piece. */
#include <stdio.h>

#include "bootloader_random.h"
#include "esp_random.h"
#include "nvs.h"
#include "nvs_flash.h"
#include "send_readings.h"

/* Without radio the generator is random only between these two calls, which take the ADC. */
int board_random(void *state, uint8_t *out, size_t length) {
    (void)state;
    bootloader_random_enable();
    esp_fill_random(out, length);
    bootloader_random_disable();
    return 0;
}

/* Written before it is used; 0 if the memory fails, and then nothing is sent. */
uint32_t board_starts(void) {
    nvs_handle_t memory;
    uint32_t starts = 0;
    if (nvs_flash_init() != ESP_OK || nvs_open("isopod", NVS_READWRITE, &memory) != ESP_OK) {
        return 0;
    }
    (void)nvs_get_u32(memory, "starts", &starts);
    starts++;
    const int written =
        nvs_set_u32(memory, "starts", starts) == ESP_OK && nvs_commit(memory) == ESP_OK;
    nvs_close(memory);
    return written ? starts : 0;
}

void board_send(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

void app_main(void) {
    static float readings[READINGS];
    for (int hour = 0; hour < READINGS; hour++) {
        readings[hour] = 20.0F + 0.1F * (float)hour;
    }
    isopod_status status = start_sending();
    if (status == ISOPOD_OK) {
        status = send_readings(readings);
    }
    printf("%s\n", isopod_status_text(status));
}
