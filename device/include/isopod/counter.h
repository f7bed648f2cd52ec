/* Counts in flash that never repeat, even if power fails at any moment: the epoch of a device, and
 * reserved sequences. Two pages hold records of a count and its CRC; the largest valid count is the
 * current one. A count is used only after its record has been read back. A page is erased only
 * after the other page holds a newer record. Side channels: all data is public. Only one thread at
 * a time may use the two pages; usually that is at start. */
#ifndef ISOPOD_COUNTER_H
#define ISOPOD_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/sender.h"
#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_COUNTER_RECORD_BYTES 16u
#define ISOPOD_FLASH_UNIT_MOST 32u

/* Two pages of flash that nothing else uses, and the functions that access them; may be const.
 * Functions return 0 on success. Pages have the numbers 0 and 1; erased bytes read 0xff. */
typedef struct {
    int (*read)(void *state, uint8_t page, uint32_t offset, uint8_t *out, size_t length);
    /* Writes write_bytes, or 16 if that is more, to a place that is a multiple of as many and was
     * erased. */
    int (*write)(void *state, uint8_t page, uint32_t offset, const uint8_t *bytes, size_t length);
    int (*erase)(void *state, uint8_t page);
    void *state;
    uint32_t page_bytes;  /* at least four records, 65,536 at most */
    uint16_t write_bytes; /* a power of two up to 32: bytes written at once, once per erase */
} isopod_flash;

/* Reserves `step` counts: no other call ever gets *first to *first + step - 1. The first count of
 * erased pages is 1. It writes one record, and at times erases a page. On error *first is 0.
 * Errors: ISOPOD_ERROR_FLASH, ISOPOD_ERROR_COUNTER; ISOPOD_ERROR_WORKSPACE for sizes of pages or
 * writes that do not fit. */
ISOPOD_MUST_CHECK isopod_status isopod_counter_next(const isopod_flash *flash, uint32_t step,
                                                    uint64_t *first);

/* Starts a sender: takes the next count as its epoch and begins its sequence. Call it once at each
 * start of the device, before the first frame. Errors: those of isopod_counter_next;
 * ISOPOD_ERROR_COUNTER after 2^32 - 1 starts. */
ISOPOD_MUST_CHECK isopod_status isopod_sender_start(isopod_sender *sender,
                                                    const isopod_flash *flash);

#ifdef __cplusplus
}
#endif

#endif
