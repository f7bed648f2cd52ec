/* Contexts of pads (spec/pad.md, section 1): their checks, their description, and their calls.
 * Constant time with respect to all keys. */
#include "pad.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "../random/sender.h"

static uint8_t *describe(uint8_t *at, const isopod_pad_config *config, uint64_t device) {
    const isopod_packet_form form = isopod_pad_form_of(config);
    const uint64_t first[3] = {ISOPOD_WIRE_VERSION, ISOPOD_KIND_PAD_CONTEXT, ISOPOD_SUITE_CHACHA20};
    const uint64_t values[5] = {device, form.number, config->width, config->columns, config->bound};
    const uint64_t last[3] = {config->ratchet, form.device_bytes, form.tag_bytes};
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_PAD_CONTEXT_FIELDS);
    at = isopod_cbor_numbers(at, first, 3);
    at = isopod_cbor_bytes(at, config->key_id, ISOPOD_KEY_ID_BYTES);
    at = isopod_cbor_numbers(at, values, 5);
    at = isopod_cbor_bytes(at, config->packing, config->packing != NULL ? ISOPOD_PACKING_BYTES : 0);
    return isopod_cbor_numbers(at, last, 3);
}

static isopod_status check_numbers(const isopod_pad_config *config) {
    if (config->columns == 0) {
        return ISOPOD_ERROR_COUNT;
    }
    if (config->width < 2 || config->width > 4 || config->ratchet > 1) {
        return ISOPOD_ERROR_PACKET;
    }
    return config->bound == 0 || config->bound >> (8u * config->width - 1u) != 0
               ? ISOPOD_ERROR_BOUND
               : ISOPOD_OK;
}

static isopod_status check(const isopod_pad_config *config, const isopod_sender *sender) {
    const isopod_packet_form form = isopod_pad_form_of(config);
    isopod_status status = check_numbers(config);
    if (status == ISOPOD_OK && (!isopod_sender_has_name(sender) ||
                                (config->ratchet != 0 && sender->epoch > ISOPOD_PAD_EPOCHS))) {
        return ISOPOD_ERROR_SENDER;
    }
    if (status == ISOPOD_OK) {
        status = isopod_packet_check_form(&form, sender->device);
    }
    return status == ISOPOD_OK && isopod_packet_frame_bytes(&form) + isopod_pad_body_bytes(config) >
                                      ISOPOD_PACKET_BYTES
               ? ISOPOD_ERROR_PACKET
               : status;
}

isopod_status isopod_pad_open(isopod_pad_context *context, const isopod_pad_config *config,
                              const isopod_sender *sender, const isopod_pad_keys *keys) {
    isopod_wipe(context, sizeof *context);
    isopod_status status = check(config, sender);
    if (status == ISOPOD_OK) {
        const isopod_packet_form form = isopod_pad_form_of(config);
        context->config = config;
        context->keys = keys;
        context->device = sender->device;
        context->epoch = sender->epoch;
        context->sixteen = ISOPOD_PAD_NO_NODE;
        context->bytes =
            (uint16_t)(isopod_packet_frame_bytes(&form) + isopod_pad_body_bytes(config));
    }
    return status;
}

isopod_status isopod_pad_derive(isopod_pad_keys *keys, const isopod_pad_config *config,
                                const isopod_sender *sender,
                                const uint8_t pad_key[ISOPOD_PAD_KEY_BYTES]) {
    uint8_t description[ISOPOD_PAD_CONTEXT_MOST];
    isopod_wipe(keys, sizeof *keys);
    isopod_status status = check(config, sender);
    if (status == ISOPOD_OK && config->key_id == NULL) {
        status = ISOPOD_ERROR_PACKET;
    }
    if (status == ISOPOD_OK && !isopod_sender_is_ready(sender)) {
        status = ISOPOD_ERROR_SENDER;
    }
    if (status == ISOPOD_OK) {
        size_t length = (size_t)(describe(description, config, sender->device) - description);
        isopod_packet_derive(keys->key, description, length, sender->key);
        isopod_packet_derive_root(keys->root, description, length, pad_key);
    }
    return status;
}

void isopod_pad_close(isopod_pad_context *context) {
    isopod_wipe(context, sizeof *context);
}

isopod_status isopod_pad_announce(const isopod_pad_context *context, const isopod_sender *sender,
                                  uint8_t *out, size_t capacity, size_t *length) {
    uint8_t item[ISOPOD_PAD_CONTEXT_MOST];
    *length = 0;
    if (context->config == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!isopod_sender_is_ready(sender) || sender->device != context->device) {
        return ISOPOD_ERROR_SENDER;
    }
    if (context->config->key_id == NULL) {
        return ISOPOD_ERROR_PACKET;
    }
    uint8_t *end = describe(item, context->config, context->device);
    end = isopod_packet_seal(item, end, sender);
    return isopod_packet_give(item, end, out, capacity, length);
}
