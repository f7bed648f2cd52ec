/* Counts in two pages of flash. The last count of a record's range is stored, so that the next
 * range begins behind it.
 *
 * Records fill a page from its beginning. A record that was cut short is skipped, and its count was
 * never used. After a full page comes the other one, which is erased first. Until the first record
 * there is verified, the full page has the largest count. */
#include "isopod/counter.h"

#include "../base/memory.h"
#include "../link/packet.h"

#define ATTEMPTS 4u /* writes that do not read back, before the flash is given up */
#define LEAST_RECORDS 4u

/* The state of a page. */
typedef struct {
    uint64_t largest; /* 0: no valid record */
    uint32_t used;    /* records up to the last one that is not erased */
} page_state;

/*@ requires \valid_read(flash);
    assigns \nothing;
    ensures \result >= 16 && \result >= flash->write_bytes; */
static uint32_t unit_of(const isopod_flash *flash) {
    return flash->write_bytes > ISOPOD_COUNTER_RECORD_BYTES ? flash->write_bytes
                                                            : ISOPOD_COUNTER_RECORD_BYTES;
}

/*@ requires \valid_read(flash);
    assigns \nothing;
    ensures 16 * \result <= flash->page_bytes; */
static uint32_t records_of(const isopod_flash *flash) {
    return flash->page_bytes / unit_of(flash);
}

/* Count, ones, CRC-32C of both; further bytes of the unit are zeros. */
static void make_record(uint8_t out[ISOPOD_FLASH_UNIT_MOST], uint64_t count) {
    isopod_wipe(out, ISOPOD_FLASH_UNIT_MOST);
    isopod_store64(out, count);
    isopod_store32(out + 8, UINT32_MAX);
    isopod_store32(out + 12, isopod_crc32c(0, out, 12));
}

/* The count of a record; 0 if it is not valid. */
static uint64_t count_of(const uint8_t *record) {
    uint32_t crc = isopod_crc32c(0, record, 12);
    return isopod_load32(record + 12) == crc && isopod_load32(record + 8) == UINT32_MAX
               ? isopod_load64(record)
               : 0;
}

/*@ requires \valid_read(bytes + (0 .. length - 1));
    assigns \nothing;
    ensures \result == 0 || \result == 1; */
static int is_erased(const uint8_t *bytes, size_t length) {
    uint8_t all = 0xff;
    /*@ loop invariant 0 <= i <= length;
        loop assigns i, all;
        loop variant length - i; */
    for (size_t i = 0; i < length; i++) {
        all &= bytes[i];
    }
    return all == 0xff;
}

static int read_record(const isopod_flash *flash, uint8_t page, uint32_t index,
                       uint8_t out[ISOPOD_FLASH_UNIT_MOST]) {
    uint32_t unit = unit_of(flash);
    return flash->read(flash->state, page, index * unit, out, unit);
}

static isopod_status look_at(const isopod_flash *flash, uint8_t page, page_state *found) {
    found->largest = 0;
    found->used = 0;
    for (uint32_t i = 0; i < records_of(flash); i++) {
        uint8_t record[ISOPOD_FLASH_UNIT_MOST];
        if (read_record(flash, page, i, record) != 0) {
            return ISOPOD_ERROR_FLASH;
        }
        uint64_t count = count_of(record);
        found->largest = count > found->largest ? count : found->largest;
        found->used = is_erased(record, unit_of(flash)) ? found->used : i + 1u;
    }
    return ISOPOD_OK;
}

/* Erases a page and checks that it is erased. */
static isopod_status clear(const isopod_flash *flash, uint8_t page) {
    page_state found;
    if (flash->erase(flash->state, page) != 0) {
        return ISOPOD_ERROR_FLASH;
    }
    isopod_status status = look_at(flash, page, &found);
    return status == ISOPOD_OK && found.used != 0 ? ISOPOD_ERROR_FLASH : status;
}

/* Writes a record and reads it back. */
static int keep(const isopod_flash *flash, uint8_t page, uint32_t index, uint64_t count) {
    uint8_t record[ISOPOD_FLASH_UNIT_MOST], back[ISOPOD_FLASH_UNIT_MOST];
    uint32_t unit = unit_of(flash);
    make_record(record, count);
    return flash->write(flash->state, page, index * unit, record, unit) == 0 &&
           read_record(flash, page, index, back) == 0 && isopod_equal(record, back, unit);
}

/* Writes the count behind the records of the page, or to the other one. */
static isopod_status append(const isopod_flash *flash, uint8_t page, uint32_t index,
                            uint64_t count) {
    for (uint32_t attempt = 0; attempt < ATTEMPTS; attempt++, index++) {
        if (index >= records_of(flash)) {
            page ^= 1u;
            index = 0;
            isopod_status status = clear(flash, page);
            if (status != ISOPOD_OK) {
                return status;
            }
        }
        if (keep(flash, page, index, count)) {
            return ISOPOD_OK;
        }
    }
    return ISOPOD_ERROR_FLASH;
}

/*@ requires \valid_read(flash);
    assigns \nothing;
    ensures \result != 0 ==> 1 <= flash->write_bytes <= ISOPOD_FLASH_UNIT_MOST;
    ensures \result != 0 ==> flash->page_bytes <= 65536; */
static int fits(const isopod_flash *flash) {
    uint32_t unit = flash->write_bytes;
    return unit != 0 && (unit & (unit - 1u)) == 0 && unit <= ISOPOD_FLASH_UNIT_MOST &&
           records_of(flash) >= LEAST_RECORDS && flash->page_bytes <= UINT32_C(65536);
}

/* Finds the largest count and its page. If there is no count, at most the first records of new
 * pages were cut short. */
static isopod_status recover(const isopod_flash *flash, page_state pages[2], uint8_t *page) {
    isopod_status status = look_at(flash, 0, &pages[0]);
    if (status == ISOPOD_OK) {
        status = look_at(flash, 1, &pages[1]);
    }
    *page = pages[1].largest > pages[0].largest;
    if (status == ISOPOD_OK && pages[*page].largest == 0 &&
        (pages[1].used != 0 || pages[0].used > ATTEMPTS)) {
        return ISOPOD_ERROR_COUNTER;
    }
    return status;
}

isopod_status isopod_counter_next(const isopod_flash *flash, uint32_t step, uint64_t *first) {
    page_state pages[2];
    uint8_t page;
    *first = 0;
    if (!fits(flash) || step == 0) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    isopod_status status = recover(flash, pages, &page);
    if (status != ISOPOD_OK) {
        return status;
    }
    /* Without a valid record, skip the counts that the first records may have had. */
    uint64_t last = pages[page].largest;
    last = last != 0 ? last : (uint64_t)pages[0].used * step;
    if (last > UINT64_MAX - step) {
        return ISOPOD_ERROR_COUNTER;
    }
    status = append(flash, page, pages[page].used, last + step);
    if (status == ISOPOD_OK) {
        *first = last + 1u;
    }
    return status;
}

isopod_status isopod_sender_start(isopod_sender *sender, const isopod_flash *flash) {
    uint64_t count;
    isopod_status status = isopod_counter_next(flash, 1, &count);
    if (status == ISOPOD_OK && count > UINT32_MAX) {
        status = ISOPOD_ERROR_COUNTER;
    }
    sender->epoch = status == ISOPOD_OK ? (uint32_t)count : 0;
    sender->sequence = status == ISOPOD_OK ? 0 : UINT64_MAX;
    return status;
}
