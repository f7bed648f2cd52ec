#include "isopod/frame.h"

#include "cbor.h"
#include "../base/memory.h"
#include "../encrypt/method.h"
#include "../base/parameters.h"
#include "tag.h"

enum { STATE_HEADER = 0x17, STATE_RESIDUES = 0x2b, STATE_TAG = 0x4d, STATE_DONE = 0x71 };

static uint32_t residue_bytes(const isopod_encryption_config *config, uint8_t part) {
    uint32_t bits = isopod_parameters_bits(config->params, part);
    return isopod_encryption_ring_degree(config) / 8u * bits * config->key->method->components;
}

static uint8_t *write_origin(uint8_t *at, const isopod_frame *frame) {
    const isopod_encryption_config *config = frame->encryption->config;
    const uint8_t *blob = (const uint8_t *)config->key->blob;
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_PART_FIELDS);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_WIRE_VERSION);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, isopod_encryption_kind(frame->encryption));
    at = isopod_cbor_bytes(at, config->params->set_id, sizeof config->params->set_id);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, config->suite->id);
    at = isopod_cbor_bytes(at, blob + ISOPOD_KEY_OFFSET_KEY_ID, ISOPOD_KEY_ID_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, frame->identity->device);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, frame->identity->epoch);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, frame->sequence);
    return isopod_cbor_bytes(at, frame->encryption->nonce, ISOPOD_NONCE_BYTES);
}

static uint32_t write_header(uint8_t out[ISOPOD_PART_HEADER_MOST], const isopod_frame *frame) {
    const isopod_encryption_config *config = frame->encryption->config;
    uint32_t is_public = config->key->method->components == 2;
    uint32_t seed_bytes = is_public ? 0 : config->suite->mask_seed_bytes;
    uint8_t *at = write_origin(out, frame);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, frame->part);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, isopod_encryption_level(config));
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, is_public ? config->chunks : 1u);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, config->log2_scale);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, frame->encryption->count);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, config->layout);
    at = isopod_cbor_bytes(at, frame->encryption->mask_seed, seed_bytes);
    at = isopod_cbor_head(at, ISOPOD_CBOR_BYTES, residue_bytes(config, frame->part));
    return (uint32_t)(at - out);
}

static isopod_tag_name tag_name(const isopod_frame *frame) {
    isopod_tag_name name = {frame->identity->key, frame->encryption->nonce, frame->part};
    return name;
}

static void start_part(isopod_frame *frame) {
    isopod_tag_name name = tag_name(frame);
    isopod_tag_start(&frame->tag, &name);
    frame->residues = residue_bytes(frame->encryption->config, frame->part);
    frame->position = 0;
    frame->state = STATE_HEADER;
}

static void finish_part(isopod_frame *frame) {
    isopod_tag_name name = tag_name(frame);
    isopod_tag_finish(&frame->tag, &name);
    frame->position = 0;
    frame->state = STATE_TAG;
}

static size_t take(isopod_frame *frame, uint8_t *out, size_t capacity, const uint8_t *from,
                   uint32_t total) {
    size_t left = total - frame->position;
    size_t length = left < capacity ? left : capacity;
    isopod_copy(out, from + frame->position, length);
    frame->position = (uint8_t)(frame->position + length);
    return length;
}

static void next_header(isopod_frame *frame, uint8_t *out, size_t capacity, isopod_piece *piece) {
    uint8_t header[ISOPOD_PART_HEADER_MOST];
    uint32_t total = write_header(header, frame);
    piece->length = take(frame, out, capacity, header, total);
    isopod_tag_add(&frame->tag, out, piece->length);
    if (frame->position == total) {
        frame->state = STATE_RESIDUES;
    }
}

static isopod_status next_residues(isopod_frame *frame, uint8_t *out, size_t capacity,
                                   isopod_piece *piece) {
    isopod_status status = isopod_encryption_next(frame->encryption, out, capacity, &piece->length);
    if (status != ISOPOD_OK) {
        isopod_wipe(frame, sizeof *frame);
        piece->length = 0;
        return status == ISOPOD_DONE ? ISOPOD_ERROR_STATE : status;
    }
    isopod_tag_add(&frame->tag, out, piece->length);
    frame->residues -= (uint32_t)piece->length;
    if (frame->residues == 0) {
        finish_part(frame);
    }
    return ISOPOD_OK;
}

static void next_tag(isopod_frame *frame, uint8_t *out, size_t capacity, isopod_piece *piece) {
    uint8_t item[ISOPOD_TAG_ITEM_BYTES];
    (void)isopod_cbor_bytes(item, frame->tag.block, ISOPOD_TAG_BYTES);
    piece->length = take(frame, out, capacity, item, sizeof item);
    if (frame->position < sizeof item) {
        return;
    }
    piece->part_complete = 1;
    frame->part++;
    if (frame->part < isopod_encryption_level(frame->encryption->config)) {
        start_part(frame);
    } else {
        isopod_encryption_abort(frame->encryption);
        frame->state = STATE_DONE;
    }
}

isopod_status isopod_frame_begin(isopod_frame *frame, isopod_encryption *encryption,
                                 const isopod_identity *identity, uint64_t sequence) {
    isopod_wipe(frame, sizeof *frame);
    if (!isopod_encryption_is_begun(encryption)) {
        return ISOPOD_ERROR_STATE;
    }
    frame->encryption = encryption;
    frame->identity = identity;
    frame->sequence = sequence;
    start_part(frame);
    return ISOPOD_OK;
}

/* Not before begin, not after the last part, and not after somebody aborted the encryption. */
static uint32_t is_live(const isopod_frame *frame) {
    uint32_t in_part =
        frame->state == STATE_HEADER || frame->state == STATE_RESIDUES || frame->state == STATE_TAG;
    return in_part && frame->encryption->config != NULL;
}

isopod_status isopod_frame_next(isopod_frame *frame, uint8_t *out, size_t capacity,
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
    if (frame->state == STATE_RESIDUES) {
        return next_residues(frame, out, capacity, piece);
    }
    if (frame->state == STATE_HEADER) {
        next_header(frame, out, capacity, piece);
    } else {
        next_tag(frame, out, capacity, piece);
    }
    return ISOPOD_OK;
}

size_t isopod_frame_part_bytes(const isopod_frame *frame) {
    uint8_t header[ISOPOD_PART_HEADER_MOST];
    if (!is_live(frame)) {
        return 0;
    }
    return write_header(header, frame) + residue_bytes(frame->encryption->config, frame->part) +
           ISOPOD_TAG_ITEM_BYTES;
}
