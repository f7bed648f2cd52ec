/* Authenticated TFHE frames (spec/wire.md, section 6). A frame is one CBOR item sealed under the
 * device's own key. It runs in the thread of its encryption and uses the same stack. */
#ifndef ISOPOD_TFHE_FRAME_H
#define ISOPOD_TFHE_FRAME_H

#include "isopod/frame.h"
#include "isopod/tfhe.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef isopod_frame isopod_tfhe_frame;

/* Starts the frame of an encryption that has just begun, sealed under its sender's key. An
 * encryption has only one frame, even if that frame is never completed. Errors:
 * ISOPOD_ERROR_STATE if `tfhe` is not at its beginning, or had a frame. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_frame_begin(isopod_tfhe_frame *frame,
                                                        isopod_tfhe *tfhe);

/* Writes the next 1..capacity bytes of the frame and their number. ISOPOD_DONE after the last,
 * length 0. Errors: ISOPOD_ERROR_STATE, ISOPOD_ERROR_CAPACITY. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_frame_next(isopod_tfhe_frame *frame, uint8_t *out,
                                                       size_t capacity, size_t *length);

/* Bytes of the whole frame, for length prefixes and buffers; 0 before begin and after the end. */
size_t isopod_tfhe_frame_bytes(const isopod_tfhe_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
