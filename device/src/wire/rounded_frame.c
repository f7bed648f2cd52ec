/* The frames of rounded coefficients (spec/wire.md, section 1): one part for all primes. */
#include "../base/memory.h"
#include "../encrypt/rounded.h"
#include "frame_source.h"

static uint32_t piece_bytes(const isopod_frame *frame) {
    return frame->part == 0 ? ((const isopod_rounded *)frame->encryption)->bytes : 0;
}

ISOPOD_FRAME_APART static uint8_t *write_header(uint8_t *out, const isopod_frame *frame) {
    const isopod_rounded *context = frame->encryption;
    const isopod_part_shape shape = isopod_rounded_shape(&context->encryption);
    return isopod_part_header(out, &context->encryption, &shape);
}

static isopod_status next(void *encryption, uint8_t *out, size_t capacity, size_t *length) {
    return isopod_rounded_next(encryption, out, capacity, length);
}

static void abort_encryption(void *encryption) {
    isopod_rounded_abort(encryption);
}

static const struct isopod_frame_source source = {.domain = 0,
                                                  .piece_bytes = piece_bytes,
                                                  .write_header = write_header,
                                                  .next = next,
                                                  .abort = abort_encryption};

isopod_status isopod_rounded_frame_begin(isopod_frame *frame, isopod_rounded *context) {
    isopod_wipe(frame, sizeof *frame);
    if (!isopod_encryption_take(&context->encryption)) {
        return ISOPOD_ERROR_STATE;
    }
    frame->source = &source;
    frame->encryption = context;
    frame->nonce = context->encryption.nonce;
    frame->key = context->encryption.encryptor->sender->key;
    isopod_frame_start_anywhere(frame, &context->encryption);
    return ISOPOD_OK;
}
