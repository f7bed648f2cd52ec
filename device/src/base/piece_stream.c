/* The checks and the copying of a pull interface, the same for every scheme. */
#include "piece_stream.h"

#include "memory.h"

/*@ requires \valid_read(stream);
    assigns \nothing;
    ensures \result == ISOPOD_OK <==> capacity > 0 && (stream->state == ISOPOD_PIECES_BEGUN ||
            stream->state == ISOPOD_PIECES_RUNNING);
    ensures \result == ISOPOD_DONE <==> stream->state == ISOPOD_PIECES_DONE; */
ISOPOD_SMALL isopod_status isopod_piece_stream_check(const isopod_piece_stream *stream,
                                                     size_t capacity) {
    if (stream->state == ISOPOD_PIECES_DONE) {
        return ISOPOD_DONE;
    }
    if (stream->state != ISOPOD_PIECES_BEGUN && stream->state != ISOPOD_PIECES_RUNNING) {
        return ISOPOD_ERROR_STATE;
    }
    return capacity == 0 ? ISOPOD_ERROR_CAPACITY : ISOPOD_OK;
}

ISOPOD_SMALL size_t isopod_piece_stream_take(isopod_piece_stream *stream, uint8_t *out,
                                             size_t capacity) {
    size_t taken = stream->pending < capacity ? stream->pending : capacity;
    isopod_copy(out, stream->piece, taken);
    stream->piece += taken;
    stream->pending -= (uint32_t)taken;
    stream->state = ISOPOD_PIECES_RUNNING;
    return taken;
}
