/* Contexts of TFHE (spec/packet.md, section 9): their checks, their description, and their calls.
 * Constant time with respect to the device key. */
#include "../tfhe_packet.h"

#include "../../base/memory.h"
#include "../../cbor/cbor.h"
#include "../../random/sender.h"
#include "../../tfhe/tfhe_blob.h"
#include "../../tfhe/tfhe_message.h"
#include "../../tfhe/tfhe_parameters.h"

#if !ISOPOD_HAS_PROGRAM_MEMORY

#define BODY_BYTES 2u

static uint32_t values_of(const isopod_tfhe_values *schema) {
    uint32_t values = 0;
    for (uint32_t r = 0; r < schema->count; r++) {
        values += schema->runs[r].count;
    }
    return values;
}

static uint8_t *describe_schema(uint8_t *at, const isopod_tfhe_values *schema) {
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, 2u * schema->count);
    for (uint32_t r = 0; r < schema->count; r++) {
        const uint64_t run[2] = {schema->runs[r].type, schema->runs[r].count};
        at = isopod_cbor_numbers(at, run, 2);
    }
    return at;
}

static uint8_t *describe(uint8_t *at, const isopod_tfhe_packet_config *config, uint64_t device) {
    const isopod_packet_form form = isopod_tfhe_packet_form_of(config);
    const uint64_t first[3] = {ISOPOD_WIRE_VERSION, ISOPOD_KIND_TFHE_CONTEXT,
                               ISOPOD_SUITE_CHACHA20};
    const uint64_t sender[2] = {device, form.number};
    const uint64_t last[3] = {form.naming, form.device_bytes, form.tag_bytes};
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_TFHE_CONTEXT_FIELDS);
    at = isopod_cbor_numbers(at, first, 3);
    at = isopod_cbor_bytes(at, isopod_tfhe_key_id(config->key), ISOPOD_KEY_ID_BYTES);
    at = describe_schema(isopod_cbor_numbers(at, sender, 2), config->schema);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED,
                          config->columns != 0 ? config->columns : values_of(config->schema));
    at = isopod_cbor_bytes(at, config->packing, config->packing != NULL ? ISOPOD_PACKING_BYTES : 0);
    return isopod_cbor_numbers(at, last, 3);
}

static isopod_status check_key(const isopod_tfhe_packet_config *config) {
    uint8_t accepted = config->accept_label != 0 ? config->accept_label : ISOPOD_LABEL_128;
    isopod_status status = isopod_tfhe_parameters_check(config->params);
    if (status == ISOPOD_OK && config->params->label != accepted) {
        status = ISOPOD_ERROR_LABEL;
    }
    if (status == ISOPOD_OK && config->key->params != config->params) {
        status = ISOPOD_ERROR_KEY_SET;
    }
    return status == ISOPOD_OK && config->key->kind != ISOPOD_TFHE_KEY_SECRET
               ? ISOPOD_ERROR_KEY_KIND
               : status;
}

static isopod_status check(isopod_tfhe_packet_context *context,
                           const isopod_tfhe_packet_config *config, const isopod_sender *sender) {
    const isopod_packet_form form = isopod_tfhe_packet_form_of(config);
    uint32_t coefficients = 0;
    isopod_status status = check_key(config);
    if (status == ISOPOD_OK) {
        status = isopod_sender_is_ready(sender) ? isopod_packet_check_form(&form, sender->device)
                                                : ISOPOD_ERROR_SENDER;
    }
    if (status == ISOPOD_OK) {
        status = isopod_tfhe_schema_check(config->params, config->schema, &coefficients);
    }
    if (status == ISOPOD_OK && config->columns != 0 &&
        values_of(config->schema) % config->columns != 0) {
        status = ISOPOD_ERROR_COLUMNS;
    }
    uint32_t bytes = isopod_packet_frame_bytes(&form) + BODY_BYTES * coefficients;
    context->coefficients = (uint16_t)coefficients;
    context->bytes = (uint16_t)bytes;
    return status == ISOPOD_OK && bytes > ISOPOD_PACKET_BYTES ? ISOPOD_ERROR_PACKET : status;
}

isopod_status isopod_tfhe_packet_open(isopod_tfhe_packet_context *context,
                                      const isopod_tfhe_packet_config *config,
                                      const isopod_sender *sender) {
    uint8_t description[ISOPOD_TFHE_CONTEXT_MOST];
    isopod_wipe(context, sizeof *context);
    isopod_status status = check(context, config, sender);
    if (status != ISOPOD_OK) {
        isopod_wipe(context, sizeof *context);
        return status;
    }
    context->config = config;
    context->device = sender->device;
    size_t length = (size_t)(describe(description, config, context->device) - description);
    isopod_packet_derive(context->key, description, length, sender->key);
    return ISOPOD_OK;
}

void isopod_tfhe_packet_close(isopod_tfhe_packet_context *context) {
    isopod_wipe(context, sizeof *context);
}

isopod_status isopod_tfhe_packet_announce(const isopod_tfhe_packet_context *context,
                                          const isopod_sender *sender, uint8_t *out,
                                          size_t capacity, size_t *length) {
    uint8_t item[ISOPOD_TFHE_CONTEXT_MOST];
    *length = 0;
    if (context->config == NULL) {
        return ISOPOD_ERROR_STATE;
    }
    if (!isopod_sender_is_ready(sender) || sender->device != context->device) {
        return ISOPOD_ERROR_SENDER;
    }
    uint8_t *end = describe(item, context->config, context->device);
    end = isopod_packet_seal(item, end, sender);
    return isopod_packet_give(item, end, out, capacity, length);
}
#endif
