/* Contexts of CKKS and BFV (spec/packet.md, section 1): their description, and their calls.
 * Constant time with respect to the device key. */
#include "../packet.h"

#include "../../base/memory.h"
#include "../../cbor/cbor.h"
#include "../../random/sender.h"

static uint8_t *describe_set(uint8_t *at, const isopod_packet_config *config, uint64_t device) {
    const uint64_t first[2] = {ISOPOD_WIRE_VERSION, ISOPOD_KIND_CONTEXT};
    const uint64_t sender[3] = {device, config->number, ISOPOD_PROGRAM_READ(config->scheme->kind)};
    uint8_t key_id[ISOPOD_KEY_ID_BYTES];
    isopod_program_copy(key_id, (const uint8_t *)config->key->blob + ISOPOD_KEY_OFFSET_KEY_ID,
                        sizeof key_id);
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_CONTEXT_FIELDS);
    at = isopod_cbor_numbers(at, first, 2);
    at = isopod_cbor_bytes(at, config->params->set_id, ISOPOD_SET_ID_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, ISOPOD_SUITE_CHACHA20);
    at = isopod_cbor_bytes(at, key_id, sizeof key_id);
    return isopod_cbor_numbers(at, sender, 3);
}

static uint8_t *describe(uint8_t *out, const isopod_packet_config *config, uint64_t device) {
    uint32_t stride = isopod_packet_stride(config);
    const uint64_t values[3] = {config->log2_scale,
                                (isopod_packet_rows(config) - 1u) * stride + config->columns,
                                ISOPOD_COEFFICIENTS_ROUNDED};
    const uint64_t rows[2] = {stride, config->buckets != 0 ? config->buckets : 1u};
    const uint64_t form[5] = {isopod_packet_run(config), config->dropped, config->naming,
                              config->device_bytes, isopod_packet_form_of(config).tag_bytes};
    uint8_t *at = isopod_cbor_numbers(describe_set(out, config, device), values, 3);
    at = isopod_cbor_integer(at, ISOPOD_PROGRAM_READ(config->scheme->bound)(config));
    at = isopod_cbor_numbers(at, rows, 2);
    at = isopod_cbor_bytes(at, config->packing, config->packing != NULL ? ISOPOD_PACKING_BYTES : 0);
    return isopod_cbor_numbers(at, form, 5);
}

#if !ISOPOD_HAS_PROGRAM_MEMORY
isopod_status isopod_packet_open(isopod_packet_context *context, const isopod_packet_config *config,
                                 const isopod_sender *sender) {
    static const uint8_t none[ISOPOD_CONTEXT_KEY_BYTES];
    uint8_t description[ISOPOD_CONTEXT_MOST];
    isopod_status status = isopod_packet_resume(context, config, sender, none);
    if (status == ISOPOD_OK && !isopod_sender_is_ready(sender)) {
        isopod_packet_close(context);
        status = ISOPOD_ERROR_SENDER;
    }
    if (status == ISOPOD_OK) {
        size_t length = (size_t)(describe(description, config, context->device) - description);
        isopod_packet_derive(context->key, description, length, sender->key);
    }
    return status;
}
#endif

isopod_status isopod_packet_announce(const isopod_packet_context *context,
                                     const isopod_sender *sender, uint8_t *out, size_t capacity,
                                     size_t *length) {
    uint8_t item[ISOPOD_CONTEXT_MOST];
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
