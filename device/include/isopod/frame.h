/* Authenticated frames of CKKS and BFV (spec/wire.md, sections 1 and 2). A frame has one part for
 * each prime; a part is a CBOR item sealed under the device's own key. A frame runs in the thread
 * of its encryption and uses the same stack. */
#ifndef ISOPOD_FRAME_H
#define ISOPOD_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/encryption.h"
#include "isopod/tag.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One frame in progress, of any scheme. Members are private; about 90 bytes on a 32-bit
 * machine. */
typedef struct {
    const struct isopod_frame_source *source;
    void *encryption; /* isopod_encryption or isopod_tfhe */
    const uint8_t *nonce;
    const uint8_t *key;
    isopod_tag tag;
    uint32_t left;    /* bytes of the part's pieces still to come */
    uint8_t position; /* byte within header or tag */
    uint8_t part;
    uint8_t state;
} isopod_frame;

/* The outcome of one call of isopod_frame_next. */
typedef struct {
    size_t length;         /* bytes written */
    uint8_t part;          /* number of the part they belong to */
    uint8_t part_complete; /* non-zero if these bytes complete the part */
} isopod_piece;

/* Starts the frame of an encryption that has just begun, sealed under its sender's key. An
 * encryption has only one frame, even if that frame is never completed. Errors:
 * ISOPOD_ERROR_STATE if `encryption` is not at its beginning, or had a frame. */
ISOPOD_MUST_CHECK isopod_status isopod_frame_begin(isopod_frame *frame,
                                                   isopod_encryption *encryption);

/* Writes the next 1..capacity bytes of the frame; never crosses the end of a part. ISOPOD_DONE
 * after the last, length 0. Errors: ISOPOD_ERROR_STATE, ISOPOD_ERROR_CAPACITY. */
ISOPOD_MUST_CHECK isopod_status isopod_frame_next(isopod_frame *frame, uint8_t *out,
                                                  size_t capacity, isopod_piece *piece);

/* Length in bytes of the part that is being output, for length prefixes and buffers; 0 before begin
 * and after the last part. */
size_t isopod_frame_part_bytes(const isopod_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
