/* The frames of CKKS and BFV (spec/wire.md, section 1): one part per prime, with its header. */
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../encrypt/method.h"
#include "cbor.h"
#include "frame_source.h"

ISOPOD_SMALL static uint32_t piece_bytes(const isopod_frame *frame) {
    const isopod_encryption *encryption = frame->encryption;
    const isopod_encryption_config *config = encryption->config;
    if (config == NULL || frame->part >= isopod_encryption_level(config)) {
        return 0;
    }
    uint32_t bits = isopod_parameters_bits(config->params, frame->part);
    return isopod_encryption_ring_degree(config) / 8u * bits * config->key->method->components;
}

static uint8_t *write_origin(uint8_t *at, const isopod_encryption *encryption) {
    const isopod_encryption_config *config = encryption->config;
    const uint64_t first[2] = {ISOPOD_WIRE_VERSION, isopod_encryption_kind(encryption)};
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_PART_FIELDS);
    at = isopod_frame_numbers(at, first, 2);
    at = isopod_cbor_bytes(at, config->params->set_id, sizeof config->params->set_id);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, config->suite->id);
    at = isopod_cbor_bytes(at, (const uint8_t *)config->key->blob + ISOPOD_KEY_OFFSET_KEY_ID,
                           ISOPOD_KEY_ID_BYTES);
    at = isopod_frame_sender(at, &encryption->name);
    return isopod_cbor_bytes(at, encryption->nonce, ISOPOD_NONCE_BYTES);
}

uint8_t *isopod_part_header(uint8_t *out, const isopod_encryption *encryption,
                            const isopod_part_shape *shape) {
    const isopod_encryption_config *config = encryption->config;
    uint32_t is_public = config->key->method->components == 2;
    const uint64_t place[6] = {shape->part,       isopod_encryption_level(config),
                               shape->interleave, config->log2_scale,
                               encryption->count, config->layout};
    const uint64_t rows[2] = {shape->stride, isopod_encryption_buckets(encryption)};
    uint8_t *at = isopod_frame_numbers(write_origin(out, encryption), place, 6);
    at = isopod_cbor_integer(at, encryption->scheme->bound(config));
    at = isopod_frame_numbers(at, rows, 2);
    at = isopod_frame_packing(at, config->packing);
    at = isopod_frame_numbers(at, shape->rounding, 3);
    at = isopod_cbor_bytes(at, encryption->mask_seed,
                           is_public ? 0 : config->suite->mask_seed_bytes);
    return isopod_cbor_head(at, ISOPOD_CBOR_BYTES, shape->bytes);
}

ISOPOD_FRAME_APART static uint8_t *write_header(uint8_t *out, const isopod_frame *frame) {
    const isopod_encryption *encryption = frame->encryption;
    uint32_t is_public = encryption->config->key->method->components == 2;
    const isopod_part_shape shape = {.part = frame->part,
                                     .interleave = is_public ? encryption->config->chunks : 1u,
                                     .stride = isopod_encryption_stride(encryption),
                                     .bytes = piece_bytes(frame)};
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
    frame->key = encryption->config->sender->key;
    isopod_frame_start(frame);
    return ISOPOD_OK;
}
