/* The frames of CKKS and BFV in slots (spec/wire.md, section 1): one part per prime. */
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../encrypt/linear_method.h"
#include "../encrypt/method.h"
#include "frame_source.h"

ISOPOD_SMALL static uint32_t piece_bytes(const isopod_frame *frame) {
    const isopod_encryption *encryption = frame->encryption;
    const isopod_encryption_config *config = encryption->config;
    if (config == NULL || frame->part >= isopod_encryption_level(config)) {
        return 0;
    }
    uint32_t bits = isopod_parameters_bits(config->params, frame->part);
    uint32_t bytes = frame->part + 1u == isopod_encryption_level(config)
                         ? isopod_linear_bytes(config->linear_key)
                         : 0;
    return bytes +
           isopod_encryption_ring_degree(config) / 8u * bits * config->key->method->components;
}

ISOPOD_FRAME_APART static uint8_t *write_header(uint8_t *out, const isopod_frame *frame) {
    const isopod_encryption *encryption = frame->encryption;
    isopod_part_shape shape = encryption->scheme->shape(encryption);
    shape.part = frame->part;
    shape.bytes = piece_bytes(frame);
    return isopod_part_header(out, encryption, &shape);
}

static isopod_status next(void *encryption, uint8_t *out, size_t capacity, size_t *length) {
    return isopod_encryption_next(encryption, out, capacity, length);
}

static void abort_encryption(void *encryption) {
    isopod_encryption_abort(encryption);
}

static const struct isopod_frame_source source = {.domain = 0,
                                                  .piece_bytes = piece_bytes,
                                                  .write_header = write_header,
                                                  .next = next,
                                                  .abort = abort_encryption};

ISOPOD_SMALL isopod_status isopod_frame_begin(isopod_frame *frame, isopod_encryption *encryption) {
    isopod_wipe(frame, sizeof *frame);
    if (!isopod_encryption_take(encryption)) {
        return ISOPOD_ERROR_STATE;
    }
    frame->source = &source;
    frame->encryption = encryption;
    frame->nonce = encryption->nonce;
    frame->key = encryption->encryptor->sender->key;
    isopod_frame_start_anywhere(frame, encryption);
    return ISOPOD_OK;
}
