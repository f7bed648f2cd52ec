/* The partition of ESP-IDF's store. */
#include "nvs.h"

static inline esp_err_t nvs_flash_init(void) {
    return memory_has("start") ? ESP_ERR_NVS_NEW_VERSION_FOUND : ESP_OK;
}
