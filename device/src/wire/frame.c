/* Frames of every scheme (spec/wire.md, sections 1, 2 and 6): for each part a header, the pieces of
 * the encryption, and a tag over both. */
#include "isopod/frame.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "frame_source.h"
#include "../tag/tag.h"

enum { STATE_HEADER = 0x17, STATE_PIECES = 0x2b, STATE_TAG = 0x4d, STATE_DONE = 0x71 };

ISOPOD_SMALL void isopod_frame_start(isopod_frame *frame) {
    const isopod_tag_name name = {
        .key = frame->key, .nonce = frame->nonce, .domain = frame->source->domain + frame->part};
    isopod_tag_start(&frame->tag, &name);
    frame->left = frame->source->piece_bytes(frame);
    frame->position = 0;
    frame->state = STATE_HEADER;
}

ISOPOD_FRAME_APART static void finish_pieces(isopod_frame *frame) {
    isopod_tag_finish(&frame->tag);
    frame->position = 0;
    frame->state = STATE_TAG;
}

ISOPOD_FRAME_APART static isopod_status next_piece(isopod_frame *frame, uint8_t *out,
                                                   size_t capacity, isopod_piece *piece) {
    isopod_status status = frame->source->next(frame->encryption, out, capacity, &piece->length);
    if (status != ISOPOD_OK || piece->length > frame->left) {
        isopod_wipe(frame, sizeof *frame);
        piece->length = 0;
        return status == ISOPOD_OK || status == ISOPOD_DONE ? ISOPOD_ERROR_STATE : status;
    }
    isopod_tag_add(&frame->tag, out, piece->length);
    frame->left -= (uint32_t)piece->length;
    if (frame->left == 0) {
        finish_pieces(frame);
    }
    return ISOPOD_OK;
}

ISOPOD_FRAME_APART static void finish_part(isopod_frame *frame) {
    frame->part++;
    if (frame->source->piece_bytes(frame) != 0) {
        isopod_frame_start(frame);
    } else {
        frame->source->abort(frame->encryption);
        frame->state = STATE_DONE;
    }
}

/* Writes the next bytes of the header or of the tag, which are computed anew at every step. */
ISOPOD_FRAME_APART static void next_item(isopod_frame *frame, uint8_t *out, size_t capacity,
                                         isopod_piece *piece) {
    uint8_t item[ISOPOD_PART_HEADER_MOST], *end;
    uint32_t is_header = frame->state == STATE_HEADER;
    end = is_header ? frame->source->write_header(item, frame)
                    : isopod_cbor_bytes(item, frame->tag.block, ISOPOD_TAG_BYTES);
    size_t left = (size_t)(end - item) - frame->position;
    piece->length = left < capacity ? left : capacity;
    isopod_copy(out, item + frame->position, piece->length);
    frame->position = (uint8_t)(frame->position + piece->length);
    if (is_header) {
        isopod_tag_add(&frame->tag, out, piece->length);
    }
    if (piece->length < left) {
        return;
    }
    frame->state = STATE_PIECES;
    piece->part_complete = !is_header;
}

/* Whether the frame gives bytes: it has begun, its last part is not complete, and the encryption
 * was not aborted. */
static uint32_t is_live(const isopod_frame *frame) {
    uint32_t is_in_part =
        frame->state == STATE_HEADER || frame->state == STATE_PIECES || frame->state == STATE_TAG;
    return is_in_part && frame->source->piece_bytes(frame) != 0;
}

ISOPOD_SMALL isopod_status isopod_frame_next(isopod_frame *frame, uint8_t *out, size_t capacity,
                                             isopod_piece *piece) {
    piece->length = 0;
    piece->part = frame->part;
    piece->part_complete = 0;
    if (capacity == 0) {
        return ISOPOD_ERROR_CAPACITY;
    }
    if (!is_live(frame)) {
        return frame->state == STATE_DONE ? ISOPOD_DONE : ISOPOD_ERROR_STATE;
    }
    if (frame->state == STATE_PIECES) {
        return next_piece(frame, out, capacity, piece);
    }
    next_item(frame, out, capacity, piece);
    if (piece->part_complete) {
        finish_part(frame);
    }
    return ISOPOD_OK;
}

size_t isopod_frame_part_bytes(const isopod_frame *frame) {
    uint8_t header[ISOPOD_PART_HEADER_MOST];
    if (!is_live(frame)) {
        return 0;
    }
    return (size_t)(frame->source->write_header(header, frame) - header) +
           frame->source->piece_bytes(frame) + ISOPOD_TAG_ITEM_BYTES;
}
