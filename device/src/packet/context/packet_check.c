/* Checks of a context (spec/packet.md, sections 1 and 2). Everything here is public. */
#include "../packet.h"

#include "../../base/parameters.h"
#include "../../random/sender.h"

/* The call that opened the key has checked the numbers of its set. */
static isopod_status check_set(const isopod_packet_config *config) {
    uint8_t accepted = config->accept_label != 0 ? config->accept_label : ISOPOD_LABEL_128;
    if (isopod_parameters_has_primes64(config->params)) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    if (config->params->label != accepted) {
        return ISOPOD_ERROR_LABEL;
    }
    if (config->key->params != config->params) {
        return ISOPOD_ERROR_KEY_SET;
    }
    return config->key->kind == ISOPOD_KEY_SECRET_TERNARY ? ISOPOD_OK : ISOPOD_ERROR_KEY_KIND;
}

static isopod_status check_form(const isopod_packet_config *config, const isopod_sender *sender) {
    const isopod_packet_form form = isopod_packet_form_of(config);
    if (config->scheme == NULL || config->method == NULL) {
        return ISOPOD_ERROR_PACKET;
    }
    return config->dropped >= config->params->primes->bits
               ? ISOPOD_ERROR_ROUNDING
               : isopod_packet_check_form(&form, sender->device);
}

static isopod_status check_rows(const isopod_packet_config *config) {
    uint32_t n = UINT32_C(1) << config->params->log2_ring_degree, rows = isopod_packet_rows(config);
    uint32_t stride = isopod_packet_stride(config), run = isopod_packet_run(config);
    uint32_t last = (config->buckets != 0 ? config->buckets : 1u) - 1u;
    if (config->columns == 0) {
        return ISOPOD_ERROR_COUNT;
    }
    if (config->columns > run || run > stride || stride > n || rows > n ||
        (rows - 1u) * stride + run > n) {
        return ISOPOD_ERROR_STRIDE;
    }
    if ((last & (last + 1u)) != 0 || (config->columns & last) != 0) {
        return ISOPOD_ERROR_BUCKETS;
    }
    const isopod_packet_form form = isopod_packet_form_of(config);
    uint32_t bytes = isopod_packet_frame_bytes(&form) + isopod_packet_body_bytes(config);
    return bytes > ISOPOD_PACKET_BYTES ? ISOPOD_ERROR_PACKET : ISOPOD_OK;
}

static isopod_status check_parts(const isopod_packet_config *config) {
    isopod_status status = ISOPOD_PROGRAM_READ(config->scheme->check)(config);
    return status == ISOPOD_OK && ISOPOD_PROGRAM_READ(config->method->has_tables) != NULL &&
                   !ISOPOD_PROGRAM_READ(config->method->has_tables)(config)
               ? ISOPOD_ERROR_TABLES
               : status;
}

isopod_status isopod_packet_check(const isopod_packet_config *config, const isopod_sender *sender) {
    isopod_status status = check_set(config);
    if (status == ISOPOD_OK) {
        status = isopod_sender_has_name(sender) ? check_form(config, sender) : ISOPOD_ERROR_SENDER;
    }
    if (status == ISOPOD_OK) {
        status = check_rows(config);
    }
    return status == ISOPOD_OK ? check_parts(config) : status;
}
