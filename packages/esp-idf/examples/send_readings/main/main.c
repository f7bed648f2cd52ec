/* Encrypts readings and prints their frame, a line of hexadecimal digits for each piece. */
#include <stdbool.h>
#include <stdio.h>

#include "entropy/esp_idf.h"
#include "nvs.h"
#include "nvs_flash.h"
#include "send_readings.h"

/* For firmware without radio, whose noise comes from the ADC. */
int board_random(void *state, uint8_t *out, size_t length) {
    return isopod_entropy_esp_idf(state, out, length);
}

/* The number of this start: 1 only where the memory says that it holds none. 0 if it cannot be
 * read, holds no count, or held the last one. */
static uint32_t next_start(nvs_handle_t memory) {
    uint32_t starts = 0;
    const esp_err_t error = nvs_get_u32(memory, "starts", &starts);
    if (error == ESP_ERR_NVS_NOT_FOUND) {
        return 1;
    }
    return error == ESP_OK && starts != 0 ? starts + 1 : 0;
}

/* True once the memory gives the number back. */
static bool keep(nvs_handle_t memory, uint32_t starts) {
    uint32_t kept = 0;
    return nvs_set_u32(memory, "starts", starts) == ESP_OK && nvs_commit(memory) == ESP_OK &&
           nvs_get_u32(memory, "starts", &kept) == ESP_OK && kept == starts;
}

/* Kept before it is used; 0 if the memory fails, and then nothing is sent. */
uint32_t board_starts(void) {
    nvs_handle_t memory;
    if (nvs_flash_init() != ESP_OK || nvs_open("isopod", NVS_READWRITE, &memory) != ESP_OK) {
        return 0;
    }
    uint32_t starts = next_start(memory);
    if (starts != 0 && !keep(memory, starts)) {
        starts = 0;
    }
    nvs_close(memory);
    return starts;
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
