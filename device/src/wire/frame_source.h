/* The interface between a frame and its encryption, which gives its bytes in pieces. CKKS and BFV
 * share one table (encryption_frame.c), TFHE has its own (tfhe_frame.c). */
#ifndef ISOPOD_FRAME_SOURCE_H
#define ISOPOD_FRAME_SOURCE_H

#include "../encrypt/engine.h"
#include "isopod/frame.h"
#include "isopod/wire.h"

struct isopod_frame_source {
    uint64_t domain; /* domain of part 0's tag; each part adds one */
    /* Length in bytes of the pieces of frame->part; 0 after the last part, or if the encryption was
     * aborted. */
    uint32_t (*piece_bytes)(const isopod_frame *frame);
    /* Writes the fields up to and with the head of the pieces, at most ISOPOD_PART_HEADER_MOST
     * bytes; returns the place behind them. */
    uint8_t *(*write_header)(uint8_t *out, const isopod_frame *frame);
    isopod_status (*next)(void *encryption, uint8_t *out, size_t capacity, size_t *length);
    void (*abort)(void *encryption);
};

/* Starts the first part of frame->encryption, which has just begun; source, nonce and key are
 * set, the rest is zeros. */
void isopod_frame_start(isopod_frame *frame);

/* Starts a frame that the engine seals, likewise. */
void isopod_frame_start_sealed(isopod_frame *frame);

/* Starts the frame of `encryption`, which is frame->encryption or its first member. */
static inline void isopod_frame_start_anywhere(isopod_frame *frame,
                                               const isopod_encryption *encryption) {
    if (isopod_engine_seals(encryption)) {
        isopod_frame_start_sealed(frame);
    } else {
        isopod_frame_start(frame);
    }
}

#endif
