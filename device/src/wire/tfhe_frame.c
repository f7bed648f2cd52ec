/* The frames of TFHE (spec/wire.md, section 6): one part, with its header. */
#include "isopod/tfhe_frame.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "../tfhe/tfhe_header.h"
#include "../tfhe/tfhe_method.h"
#include "frame_source.h"

_Static_assert(ISOPOD_TFHE_FRAME_HEADER_MOST <= ISOPOD_PART_HEADER_MOST, "the header fits");

static uint32_t piece_bytes(const isopod_frame *frame) {
    return frame->part == 0 ? (uint32_t)isopod_tfhe_bytes(frame->encryption) : 0;
}

ISOPOD_SMALL static uint8_t *write_header(uint8_t *out, const isopod_frame *frame) {
    const isopod_tfhe *tfhe = frame->encryption;
    return isopod_cbor_head(isopod_tfhe_fields(out, tfhe), ISOPOD_CBOR_BYTES,
                            isopod_tfhe_bytes(tfhe));
}

static isopod_status next(void *encryption, uint8_t *out, size_t capacity, size_t *length) {
    return isopod_tfhe_next(encryption, out, capacity, length);
}

static void abort_encryption(void *encryption) {
    isopod_tfhe_abort(encryption);
}

static const struct isopod_frame_source source = {.domain = ISOPOD_TAG_DOMAIN_TFHE_FRAME,
                                                  .piece_bytes = piece_bytes,
                                                  .write_header = write_header,
                                                  .next = next,
                                                  .abort = abort_encryption};

isopod_status isopod_tfhe_frame_begin(isopod_tfhe_frame *frame, isopod_tfhe *tfhe) {
    isopod_wipe(frame, sizeof *frame);
    if (!isopod_tfhe_take(tfhe)) {
        return ISOPOD_ERROR_STATE;
    }
    frame->source = &source;
    frame->encryption = tfhe;
    frame->nonce = tfhe->nonce;
    frame->key = tfhe->encryptor->sender->key;
    isopod_frame_start(frame);
    return ISOPOD_OK;
}

isopod_status isopod_tfhe_frame_next(isopod_tfhe_frame *frame, uint8_t *out, size_t capacity,
                                     size_t *length) {
    isopod_piece piece;
    isopod_status status = isopod_frame_next(frame, out, capacity, &piece);
    *length = piece.length;
    return status;
}

size_t isopod_tfhe_frame_bytes(const isopod_tfhe_frame *frame) {
    return isopod_frame_part_bytes(frame);
}
