/* Frames of every scheme (spec/wire.md, sections 1, 2 and 6): for each part a header, the pieces of
 * the encryption, and a tag over both. */
#include "isopod/frame.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "../encrypt/engine.h"
#include "frame_source.h"
#include "../tag/tag.h"

enum {
    STATE_HEADER = 0x17,
    STATE_PIECES = 0x2b,
    STATE_SEALED = 0x3d,
    STATE_TAG = 0x4d,
    STATE_DONE = 0x71
};

/* Whether an engine may seal parts. */
#define SEALS (!ISOPOD_PORTABLE(ENGINE))

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

/* ---- parts that the engine seals ----
 * frame->position counts the headers that it has, and frame->tag.block has the length of each: the
 * engine takes at most 16 primes. */

_Static_assert(ISOPOD_PART_HEADER_MOST <= UINT8_MAX, "the length of a header is a byte");

/* Gives the header of this part and of the next one, while the engine computes. */
static void give_headers(isopod_frame *frame) {
    _Alignas(4) uint8_t item[ISOPOD_PART_HEADER_MOST];
    const uint8_t part = frame->part;
    frame->part = frame->position;
    while (frame->part <= part + 1u && frame->source->piece_bytes(frame) != 0 &&
           isopod_engine_has_header_room()) {
        const uint8_t length = (uint8_t)(frame->source->write_header(item, frame) - item);
        isopod_engine_give_header((const void *)item, length);
        frame->tag.block[frame->position] = length;
        frame->part = ++frame->position;
    }
    frame->part = part;
}

static uint32_t sealed_bytes(const isopod_frame *frame) {
    return frame->tag.block[frame->part] + frame->source->piece_bytes(frame) +
           ISOPOD_TAG_ITEM_BYTES;
}

void isopod_frame_start_sealed(isopod_frame *frame) {
    frame->state = STATE_SEALED;
    give_headers(frame);
}

static isopod_status next_sealed(isopod_frame *frame, uint8_t *out, size_t capacity,
                                 isopod_piece *piece) {
    give_headers(frame);
    if (frame->left == 0) {
        frame->left = sealed_bytes(frame);
    }
    isopod_sealed_piece sealed = {.out = out, .capacity = capacity, .left = frame->left};
    isopod_status status = isopod_engine_next_sealed(frame->encryption, &sealed);
    if (status != ISOPOD_OK) {
        frame->source->abort(frame->encryption);
        isopod_wipe(frame, sizeof *frame);
        return status;
    }
    piece->length = sealed.length;
    frame->left -= (uint32_t)sealed.length;
    if (frame->left == 0) {
        piece->part_complete = 1;
        frame->part++;
        if (frame->source->piece_bytes(frame) == 0) {
            frame->source->abort(frame->encryption);
            frame->state = STATE_DONE;
        }
    }
    return ISOPOD_OK;
}

/* Whether the frame gives bytes: it has begun, its last part is not complete, and the encryption
 * was not aborted. */
static uint32_t is_live(const isopod_frame *frame) {
    uint32_t is_in_part = frame->state == STATE_HEADER || frame->state == STATE_PIECES ||
                          (SEALS && frame->state == STATE_SEALED) || frame->state == STATE_TAG;
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
    if (SEALS && frame->state == STATE_SEALED) {
        return next_sealed(frame, out, capacity, piece);
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
