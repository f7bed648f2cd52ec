/* The states of a pull interface: begun, running, done. The owner of the stream computes the next
 * piece when none is pending. */
#ifndef ISOPOD_SRC_PIECE_STREAM_H
#define ISOPOD_SRC_PIECE_STREAM_H

#include <stddef.h>

#include "isopod/piece_stream.h"
#include "isopod/status.h"

/* Values at a distance of several bits, so that no flipped bit turns one into another. */
enum {
    ISOPOD_PIECES_IDLE = 0,
    ISOPOD_PIECES_BEGUN = 0x5a, /* nothing was taken yet */
    ISOPOD_PIECES_RUNNING = 0xa5,
    ISOPOD_PIECES_DONE = 0x3c
};

/* ISOPOD_OK if bytes may be taken; ISOPOD_DONE, ISOPOD_ERROR_STATE, ISOPOD_ERROR_CAPACITY. */
isopod_status isopod_piece_stream_check(const isopod_piece_stream *stream, size_t capacity);

/* Sets the next piece. */
/*@ requires \valid(stream);
    assigns stream->piece, stream->pending;
    ensures stream->pending == bytes; */
static inline void isopod_piece_stream_give(isopod_piece_stream *stream, const void *piece,
                                            uint32_t bytes) {
    stream->piece = piece;
    stream->pending = bytes;
}

/* Copies at most `capacity` pending bytes; returns how many. The stream is running from then on. */
size_t isopod_piece_stream_take(isopod_piece_stream *stream, uint8_t *out, size_t capacity);

#endif
