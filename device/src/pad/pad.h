/* The parts of an encryption under pads (spec/pad.md). */
#ifndef ISOPOD_SRC_PAD_PAD_H
#define ISOPOD_SRC_PAD_PAD_H

#include "../packet/packet.h"

#include "isopod/pad.h"

#define ISOPOD_PAD_NO_NODE UINT32_MAX /* no sixteen of sequences has this number */

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result.number == config->number && \result.naming == ISOPOD_NAMED_BY_SEQUENCE;
    ensures \result.tag_bytes == (config->tag_bytes != 0 ? config->tag_bytes : 8); */
static inline isopod_packet_form isopod_pad_form_of(const isopod_pad_config *config) {
    const isopod_packet_form form = {config->number, ISOPOD_NAMED_BY_SEQUENCE, config->device_bytes,
                                     config->tag_bytes != 0 ? config->tag_bytes : 8u};
    return form;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == (uint32_t)(config->columns * config->width); */
static inline uint32_t isopod_pad_body_bytes(const isopod_pad_config *config) {
    return (uint32_t)config->columns * config->width;
}

/* Adds the pad of the context's sequence to a body, or subtracts it, number by number. The context
 * has another node afterwards if need be. The block holds secrets. */
void isopod_pad_add(isopod_pad_context *context, uint8_t *body, uint8_t is_subtracted,
                    uint32_t block[ISOPOD_CHACHA20_WORDS]);

#endif
