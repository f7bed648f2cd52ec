/* A partition of Zephyr's flash, which is the file `memory`. Bits that are 0 stay 0 until a page is
 * erased. Faults: "open", "read", "write", "erase"; "small", a partition of one page; "lost"; and
 * "cut", where power fails amid the call of the number CUT that writes or erases, from 0. */
#ifndef FLASH_MAP_H
#define FLASH_MAP_H

#include <errno.h>
#include <sys/types.h>

#include "memory.h"

#define FIXED_PARTITION_DEVICE(label) NULL
#define FIXED_PARTITION_OFFSET(label) 0
#define FIXED_PARTITION_ID(label) 1

struct flash_area {
    size_t fa_size;
};

static inline int flash_area_open(uint8_t id, const struct flash_area **area) {
    static struct flash_area partition;
    (void)id;
    partition.fa_size = memory_has("small") ? MEMORY_BYTES / 2 : MEMORY_BYTES;
    *area = &partition;
    return memory_has("open") ? -ENODEV : 0;
}

static inline uint32_t flash_area_align(const struct flash_area *area) {
    (void)area;
    return 4;
}

static inline void flash_area_held(uint8_t bytes[MEMORY_BYTES]) {
    memset(bytes, 0xff, MEMORY_BYTES);
    memory_read(bytes);
}

static inline int flash_area_read(const struct flash_area *area, off_t offset, void *out,
                                  size_t length) {
    uint8_t bytes[MEMORY_BYTES];
    (void)area;
    flash_area_held(bytes);
    memcpy(out, bytes + offset, length);
    return memory_refuses_to_read() ? -EIO : 0;
}

/* Whether power fails amid this call. */
static inline int flash_area_is_cut(void) {
    static int calls;
    return memory_has("cut") && calls++ == atoi(getenv("CUT"));
}

/* Half of the bytes are changed where power fails. */
static inline int flash_area_change(off_t offset, const uint8_t *bytes, size_t length) {
    uint8_t held[MEMORY_BYTES];
    const int is_cut = flash_area_is_cut();
    flash_area_held(held);
    for (size_t i = 0; i < (is_cut ? length / 2 : length); i++) {
        held[(size_t)offset + i] = bytes == NULL ? 0xff : held[(size_t)offset + i] & bytes[i];
    }
    memory_write(held, sizeof held);
    if (is_cut) {
        exit(0);
    }
    return 0;
}

static inline int flash_area_write(const struct flash_area *area, off_t offset, const void *bytes,
                                   size_t length) {
    (void)area;
    return memory_has("write") || offset % 4 != 0 || length % 4 != 0
               ? -EIO
               : flash_area_change(offset, (const uint8_t *)bytes, length);
}

static inline int flash_area_erase(const struct flash_area *area, off_t offset, size_t length) {
    (void)area;
    return memory_has("erase") ? -EIO : flash_area_change(offset, NULL, length);
}

#endif
