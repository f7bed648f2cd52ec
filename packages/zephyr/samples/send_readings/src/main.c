/* Encrypts readings and prints their frame, a line of hexadecimal digits for each piece. */
#include <errno.h>
#include <stdbool.h>

#include <zephyr/fs/nvs.h>
#include <zephyr/kernel.h>
#include <zephyr/storage/flash_map.h>

#include "entropy/zephyr.h"
#include "send_readings.h"

enum { STARTS = 1, SECTOR_BYTES = 4096, SECTORS = 3 };

int board_random(void *state, uint8_t *out, size_t length) {
    return isopod_entropy_zephyr(state, out, length);
}

/* The number of this start: 1 only where the memory says that it holds none. 0 if it cannot be
 * read, holds no count, or held the last one. */
static uint32_t next_start(struct nvs_fs *memory) {
    uint32_t starts = 0;
    const ssize_t length = nvs_read(memory, STARTS, &starts, sizeof starts);
    if (length == -ENOENT) {
        return 1;
    }
    return length == (ssize_t)sizeof starts && starts != 0 ? starts + 1 : 0;
}

/* True once the memory gives the number back. */
static bool keep(struct nvs_fs *memory, uint32_t starts) {
    const ssize_t length = sizeof starts;
    uint32_t kept = 0;
    return nvs_write(memory, STARTS, &starts, sizeof starts) == length &&
           nvs_read(memory, STARTS, &kept, sizeof kept) == length && kept == starts;
}

/* Kept before it is used; 0 if the memory fails, and then nothing is sent. */
uint32_t board_starts(void) {
    struct nvs_fs memory = {
        .flash_device = FIXED_PARTITION_DEVICE(storage_partition),
        .offset = FIXED_PARTITION_OFFSET(storage_partition),
        .sector_size = SECTOR_BYTES,
        .sector_count = SECTORS,
    };
    if (nvs_mount(&memory) != 0) {
        return 0;
    }
    const uint32_t starts = next_start(&memory);
    return starts != 0 && keep(&memory, starts) ? starts : 0;
}

void board_send(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        printk("%02x", bytes[i]);
    }
    printk("\n");
}

int main(void) {
    static float readings[READINGS];
    for (int hour = 0; hour < READINGS; hour++) {
        readings[hour] = 20.0F + 0.1F * (float)hour;
    }
    isopod_status status = start_sending();
    if (status == ISOPOD_OK) {
        status = send_readings(readings);
    }
    printk("%s\n", isopod_status_text(status));
    return 0;
}
