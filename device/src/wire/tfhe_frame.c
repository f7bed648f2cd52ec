#include "isopod/tfhe_frame.h"

#include "cbor.h"
#include "../base/memory.h"
#include "tag.h"
#include "../tfhe/tfhe_blob.h"
#include "../tfhe/tfhe_method.h"

enum { STATE_HEADER = 0x18, STATE_BODIES = 0x2c, STATE_TAG = 0x4e, STATE_DONE = 0x72 };

static uint8_t *write_numbers(uint8_t *at, const uint64_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, numbers[i]);
    }
    return at;
}

static uint8_t *write_schema(uint8_t *at, const isopod_tfhe *tfhe) {
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, 2u * tfhe->runs);
    for (uint32_t r = 0; r < tfhe->runs; r++) {
        const uint64_t run[2] = {tfhe->types[r], tfhe->counts[r]};
        at = write_numbers(at, run, 2);
    }
    return at;
}

static uint32_t write_header(uint8_t out[ISOPOD_TFHE_FRAME_HEADER_MOST],
                             const isopod_tfhe_frame *frame) {
    const isopod_tfhe *tfhe = frame->tfhe;
    const isopod_tfhe_config *config = tfhe->config;
    const isopod_identity *identity = frame->identity;
    const uint64_t first[3] = {ISOPOD_WIRE_VERSION, config->key->method->wire_kind,
                               config->suite->id};
    const uint64_t sender[3] = {identity->device, identity->epoch, frame->sequence};
    uint8_t *at = isopod_cbor_head(out, ISOPOD_CBOR_ARRAY, ISOPOD_TFHE_FRAME_FIELDS);
    at = write_numbers(at, first, 3);
    at = isopod_cbor_bytes(at, isopod_tfhe_key_id(config->key), ISOPOD_KEY_ID_BYTES);
    at = write_numbers(at, sender, 3);
    at = isopod_cbor_bytes(at, tfhe->nonce, ISOPOD_NONCE_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, isopod_tfhe_width(config));
    at = write_schema(at, tfhe);
    at = isopod_cbor_head(at, ISOPOD_CBOR_BYTES, isopod_tfhe_bytes(tfhe));
    return (uint32_t)(at - out);
}

static isopod_tag_name tag_name(const isopod_tfhe_frame *frame) {
    isopod_tag_name name = {frame->identity->key, frame->tfhe->nonce, ISOPOD_TAG_DOMAIN_TFHE_FRAME};
    return name;
}

isopod_status isopod_tfhe_frame_begin(isopod_tfhe_frame *frame, isopod_tfhe *tfhe,
                                      const isopod_identity *identity, uint64_t sequence) {
    isopod_wipe(frame, sizeof *frame);
    if (!isopod_tfhe_is_begun(tfhe)) {
        return ISOPOD_ERROR_STATE;
    }
    frame->tfhe = tfhe;
    frame->identity = identity;
    frame->sequence = sequence;
    frame->left = (uint32_t)isopod_tfhe_bytes(tfhe);
    isopod_tag_name name = tag_name(frame);
    isopod_tag_start(&frame->tag, &name);
    frame->state = STATE_HEADER;
    return ISOPOD_OK;
}

static size_t take(isopod_tfhe_frame *frame, uint8_t *out, size_t capacity, const uint8_t *from,
                   uint32_t total) {
    size_t left = total - frame->position;
    size_t length = left < capacity ? left : capacity;
    isopod_copy(out, from + frame->position, length);
    frame->position = (uint8_t)(frame->position + length);
    return length;
}

static size_t next_header(isopod_tfhe_frame *frame, uint8_t *out, size_t capacity) {
    uint8_t header[ISOPOD_TFHE_FRAME_HEADER_MOST];
    uint32_t total = write_header(header, frame);
    size_t length = take(frame, out, capacity, header, total);
    isopod_tag_add(&frame->tag, out, length);
    if (frame->position == total) {
        frame->position = 0;
        frame->state = STATE_BODIES;
    }
    return length;
}

static isopod_status next_bodies(isopod_tfhe_frame *frame, uint8_t *out, size_t capacity,
                                 size_t *length) {
    isopod_status status = isopod_tfhe_next(frame->tfhe, out, capacity, length);
    if (status != ISOPOD_OK || *length > frame->left) {
        isopod_wipe(frame, sizeof *frame);
        *length = 0;
        return ISOPOD_ERROR_STATE;
    }
    isopod_tag_add(&frame->tag, out, *length);
    frame->left -= (uint32_t)*length;
    if (frame->left == 0) {
        isopod_tag_name name = tag_name(frame);
        isopod_tag_finish(&frame->tag, &name);
        frame->state = STATE_TAG;
    }
    return ISOPOD_OK;
}

static size_t next_tag(isopod_tfhe_frame *frame, uint8_t *out, size_t capacity) {
    uint8_t item[ISOPOD_TAG_ITEM_BYTES];
    (void)isopod_cbor_bytes(item, frame->tag.block, ISOPOD_TAG_BYTES);
    size_t length = take(frame, out, capacity, item, sizeof item);
    if (frame->position == sizeof item) {
        isopod_tfhe_abort(frame->tfhe);
        frame->state = STATE_DONE;
    }
    return length;
}

/* Not before begin, not after the end, and not after somebody aborted the encryption. */
static uint32_t is_live(const isopod_tfhe_frame *frame) {
    uint32_t is_within =
        frame->state == STATE_HEADER || frame->state == STATE_BODIES || frame->state == STATE_TAG;
    return is_within && frame->tfhe->config != NULL;
}

isopod_status isopod_tfhe_frame_next(isopod_tfhe_frame *frame, uint8_t *out, size_t capacity,
                                     size_t *length) {
    *length = 0;
    if (capacity == 0) {
        return ISOPOD_ERROR_CAPACITY;
    }
    if (!is_live(frame)) {
        return frame->state == STATE_DONE ? ISOPOD_DONE : ISOPOD_ERROR_STATE;
    }
    if (frame->state == STATE_BODIES) {
        return next_bodies(frame, out, capacity, length);
    }
    *length = frame->state == STATE_HEADER ? next_header(frame, out, capacity)
                                           : next_tag(frame, out, capacity);
    return ISOPOD_OK;
}

size_t isopod_tfhe_frame_bytes(const isopod_tfhe_frame *frame) {
    uint8_t header[ISOPOD_TFHE_FRAME_HEADER_MOST];
    if (!is_live(frame)) {
        return 0;
    }
    return write_header(header, frame) + isopod_tfhe_bytes(frame->tfhe) + ISOPOD_TAG_ITEM_BYTES;
}
