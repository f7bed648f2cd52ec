/* Zephyr's store of numbered values, with one value. */
#include <errno.h>
#include <sys/types.h>

#include "memory.h"

struct device;

struct nvs_fs {
    const struct device *flash_device;
    off_t offset;
    uint16_t sector_size;
    uint16_t sector_count;
};

static inline int nvs_mount(struct nvs_fs *fs) {
    return fs->sector_size * fs->sector_count == 0 || memory_has("start") ? -EDEADLK : 0;
}

/* Zephyr, too, returns more bytes than were asked for if it holds more. */
static inline ssize_t nvs_read(struct nvs_fs *fs, uint16_t id, void *out, size_t length) {
    uint8_t bytes[MEMORY_BYTES];
    const int held = memory_read(bytes);
    (void)fs;
    (void)id;
    if (memory_refuses_to_read()) {
        return -EIO;
    }
    if (held == MEMORY_ABSENT) {
        return -ENOENT;
    }
    memcpy(out, bytes, (size_t)held < length ? (size_t)held : length);
    return held;
}

static inline ssize_t nvs_write(struct nvs_fs *fs, uint16_t id, const void *bytes, size_t length) {
    (void)fs;
    (void)id;
    if (memory_has("write")) {
        return -ENOSPC;
    }
    const size_t written = memory_has("short write") ? length / 2 : length;
    memory_write(bytes, written);
    return (ssize_t)written;
}
