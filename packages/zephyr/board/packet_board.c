/* The flash of packets in Zephyr: a partition `isopod_partition` of two pages that nothing else
 * uses, erased once before the first start:
 *
 *     &flash0 { partitions { isopod_partition: partition@... { reg = <... DT_SIZE_K(8)>; }; }; };
 *
 * Never erase it on a device that has sent packets. */
#include <zephyr/kernel.h>
#include <zephyr/storage/flash_map.h>

#include "send_packet.h"

enum { PAGE_BYTES = 4096 };

static const struct flash_area *area;

static int read_page(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length) {
    ARG_UNUSED(state);
    return flash_area_read(area, page * PAGE_BYTES + (off_t)offset, out, length);
}

static int write_page(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes,
                      size_t length) {
    ARG_UNUSED(state);
    return flash_area_write(area, page * PAGE_BYTES + (off_t)offset, bytes, length);
}

static int erase_page(void *state, uint8_t page) {
    ARG_UNUSED(state);
    return flash_area_erase(area, page * PAGE_BYTES, PAGE_BYTES);
}

const isopod_flash *board_flash(void) {
    static isopod_flash pages = {
        .read = read_page, .write = write_page, .erase = erase_page, .page_bytes = PAGE_BYTES};
    if (flash_area_open(FIXED_PARTITION_ID(isopod_partition), &area) != 0 ||
        area->fa_size < 2 * PAGE_BYTES) {
        return NULL;
    }
    pages.write_bytes = (uint16_t)flash_area_align(area);
    return &pages;
}
