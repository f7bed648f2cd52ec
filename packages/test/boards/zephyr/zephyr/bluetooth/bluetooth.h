/* Zephyr's Bluetooth, whose air is the standard output. Fault: "device". */
#ifndef BLUETOOTH_H
#define BLUETOOTH_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "memory.h"

#define BT_DATA_MANUFACTURER_DATA 0xff
#define BT_DATA(kind, bytes, length)                                                               \
    { .type = (kind), .data_len = (length), .data = (const uint8_t *)(bytes) }
#define BT_LE_ADV_NCONN 1

struct bt_data {
    uint8_t type;
    uint8_t data_len;
    const uint8_t *data;
};

static bool bt_is_on, bt_is_broadcasting;

static inline int bt_enable(void (*ready)(int error)) {
    bt_is_on = ready == NULL && !memory_has("device");
    return bt_is_on ? 0 : -ENODEV;
}

/* An advertisement has 31 bytes, two of them before the data. */
static inline int bt_broadcast(const struct bt_data *data, size_t count) {
    if (!bt_is_on || count != 1 || data->type != BT_DATA_MANUFACTURER_DATA || data->data_len > 29) {
        return -EINVAL;
    }
    printf("air ");
    for (int i = 2; i < data->data_len; i++) {
        printf("%02x", data->data[i]);
    }
    printf("\n");
    return 0;
}

static inline int bt_le_adv_start(int parameters, const struct bt_data *data, size_t count,
                                  const struct bt_data *answer, size_t answer_count) {
    (void)answer;
    if (bt_is_broadcasting || parameters != BT_LE_ADV_NCONN || answer_count != 0) {
        return -EALREADY;
    }
    const int error = bt_broadcast(data, count);
    bt_is_broadcasting = error == 0;
    return error;
}

static inline int bt_le_adv_update_data(const struct bt_data *data, size_t count,
                                        const struct bt_data *answer, size_t answer_count) {
    (void)answer;
    return bt_is_broadcasting && answer_count == 0 ? bt_broadcast(data, count) : -EAGAIN;
}

static inline int bt_le_adv_stop(void) {
    bt_is_broadcasting = false;
    return 0;
}

#endif
