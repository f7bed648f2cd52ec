/* Frames by the engine (encrypt/engine.h): headers go in, whole parts come out. Every part begins
 * at a beat of its own, so it goes straight to a place that is aligned to 8 bytes and has room for
 * the zeros behind its tag. */
#include "../backend.h"
#ifdef ISOPOD_ACCEL_BASE

#include "../../encrypt/engine.h"

#include "../../base/memory.h"
#include "../../base/piece_stream.h"
#include "../../base/workspace.h"
#include "driver.h"
#include "engine_accel.h"

#define BEAT_BYTES 8u

/* Size of the buffer at the start of the workspace, for callers without room or alignment. */
#define BOUNCE_BYTES 256u

uint32_t isopod_accel_framed(const isopod_encryption *context, uint32_t cut) {
    _Alignas(4) uint8_t key[ISOPOD_FRAME_KEY_BYTES];
    if (!isopod_accel_frames()) {
        return 0;
    }
    isopod_copy(key, context->encryptor->sender->key, sizeof key);
    isopod_accel_seal((const void *)key, cut);
    isopod_wipe(key, sizeof key);
    return ISOPOD_COMMAND_FRAMED_MASK;
}

uint8_t isopod_engine_seals(const isopod_encryption *context) {
    return context->is_in_engine && isopod_accel_frames();
}

uint8_t isopod_engine_has_header_room(void) {
    return isopod_accel_has_header_room();
}

void isopod_engine_give_header(const uint32_t *header, uint32_t bytes) {
    isopod_accel_header(header, bytes);
}

static uint32_t smaller(size_t a, size_t b) {
    return (uint32_t)(a < b ? a : b);
}

/* Moves as many beats as there are and fit; context->refill counts their bytes of the part. */
static isopod_status take(isopod_encryption *context, uint8_t *out, size_t capacity,
                          uint32_t left) {
    uint32_t beats = smaller(capacity, left + BEAT_BYTES - 1u) / BEAT_BYTES;
    if (isopod_accel_take(out, beats) != 0) {
        return ISOPOD_ERROR_FAULT;
    }
    context->refill = smaller(beats * BEAT_BYTES, left);
    context->stream.piece = out;
    return ISOPOD_OK;
}

isopod_status isopod_engine_next_sealed(isopod_encryption *context, isopod_sealed_piece *piece) {
    context->stream.state = ISOPOD_PIECES_RUNNING;
    if (context->refill == 0) {
        const uint8_t is_direct =
            piece->capacity >= BEAT_BYTES && ((uintptr_t)piece->out & (BEAT_BYTES - 1u)) == 0;
        uint8_t *room = isopod_workspace_room(&context->encryptor->workspace);
        isopod_status status = is_direct ? take(context, piece->out, piece->capacity, piece->left)
                                         : take(context, room, BOUNCE_BYTES, piece->left);
        if (status != ISOPOD_OK) {
            return status;
        }
    }
    piece->length = smaller(context->refill, piece->capacity);
    if (context->stream.piece != piece->out) {
        isopod_copy(piece->out, context->stream.piece, piece->length);
    }
    context->stream.piece += piece->length;
    context->refill -= (uint32_t)piece->length;
    return ISOPOD_OK;
}

#endif
