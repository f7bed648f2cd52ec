/* What a frame wraps: an encryption that gives its bytes in pieces. CKKS and BFV have one table
 * (encryption_frame.c), TFHE has one (tfhe_frame.c). */
#ifndef ISOPOD_FRAME_SOURCE_H
#define ISOPOD_FRAME_SOURCE_H

#include "isopod/frame.h"

#define ISOPOD_HEADER_MAXIMUM ISOPOD_PART_HEADER_MOST

/* The part that is being output. */
typedef struct {
    const uint8_t *nonce;
    uint64_t domain; /* of its tag */
    uint32_t bytes;  /* of its pieces */
    uint8_t parts;   /* of the frame */
} isopod_frame_part;

struct isopod_frame_source {
    /* Zero if somebody aborted the encryption. */
    uint32_t (*is_live)(const void *encryption);
    isopod_frame_part (*part)(const isopod_frame *frame);
    /* Writes the fields up to and with the head of the pieces, at most ISOPOD_HEADER_MAXIMUM bytes;
     * returns the place behind them. */
    uint8_t *(*write_header)(uint8_t *out, const isopod_frame *frame);
    isopod_status (*next)(void *encryption, uint8_t *out, size_t capacity, size_t *length);
    void (*abort)(void *encryption);
};

/* Starts the first part; the encryption has just begun. */
void isopod_frame_start(isopod_frame *frame, const struct isopod_frame_source *source,
                        void *encryption, const isopod_identity *identity, uint64_t sequence);

/* Writes unsigned integers one after the other; returns the place behind them. */
uint8_t *isopod_frame_numbers(uint8_t *out, const uint64_t *numbers, uint32_t count);

#endif
