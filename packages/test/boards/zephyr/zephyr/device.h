/* Devices of Zephyr. With the fault "device" none is ready. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>

#include "memory.h"

struct device;
#define DT_ALIAS(name) name
#define DEVICE_DT_GET(node) NULL

static inline bool device_is_ready(const struct device *device) {
    (void)device;
    return !memory_has("device");
}

#endif
