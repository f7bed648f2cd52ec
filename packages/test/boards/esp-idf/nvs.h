/* ESP-IDF's store of named values, with one value. */
#ifndef NVS_H
#define NVS_H

#include "memory.h"

typedef int esp_err_t;
typedef uint32_t nvs_handle_t;
typedef enum { NVS_READONLY, NVS_READWRITE } nvs_open_mode_t;

#define ESP_OK 0
#define ESP_FAIL (-1)
#define ESP_ERR_NVS_NOT_FOUND 0x1102
#define ESP_ERR_NVS_TYPE_MISMATCH 0x1103
#define ESP_ERR_NVS_NOT_ENOUGH_SPACE 0x1105
#define ESP_ERR_NVS_REMOVE_FAILED 0x1108
#define ESP_ERR_NVS_PART_NOT_FOUND 0x110f
#define ESP_ERR_NVS_NEW_VERSION_FOUND 0x1110

static uint32_t nvs_pending;

static inline esp_err_t nvs_open(const char *name, nvs_open_mode_t mode, nvs_handle_t *handle) {
    (void)name;
    *handle = 1;
    return mode == NVS_READWRITE && !memory_has("open") ? ESP_OK : ESP_ERR_NVS_PART_NOT_FOUND;
}

static inline esp_err_t nvs_get_u32(nvs_handle_t handle, const char *key, uint32_t *out) {
    uint8_t bytes[MEMORY_BYTES];
    const int length = memory_read(bytes);
    (void)handle;
    (void)key;
    if (memory_refuses_to_read()) {
        return ESP_FAIL;
    }
    if (length == MEMORY_ABSENT) {
        return ESP_ERR_NVS_NOT_FOUND;
    }
    if (length != sizeof *out) {
        return ESP_ERR_NVS_TYPE_MISMATCH;
    }
    memcpy(out, bytes, sizeof *out);
    return ESP_OK;
}

static inline esp_err_t nvs_set_u32(nvs_handle_t handle, const char *key, uint32_t value) {
    (void)handle;
    (void)key;
    nvs_pending = value;
    return memory_has("write") ? ESP_ERR_NVS_NOT_ENOUGH_SPACE : ESP_OK;
}

static inline esp_err_t nvs_commit(nvs_handle_t handle) {
    (void)handle;
    if (memory_has("commit")) {
        return ESP_ERR_NVS_REMOVE_FAILED;
    }
    memory_write(&nvs_pending, sizeof nvs_pending);
    return ESP_OK;
}

static inline void nvs_close(nvs_handle_t handle) {
    (void)handle;
}

#endif
