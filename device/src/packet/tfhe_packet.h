/* The form of packets of TFHE, for their contexts and their encryption. */
#ifndef ISOPOD_SRC_TFHE_PACKET_H
#define ISOPOD_SRC_TFHE_PACKET_H

#include "packet.h"

#include "isopod/tfhe_packet.h"

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result.number == config->number && \result.naming == config->naming;
    ensures \result.tag_bytes == (config->tag_bytes != 0 ? config->tag_bytes : 8); */
static inline isopod_packet_form
isopod_tfhe_packet_form_of(const isopod_tfhe_packet_config *config) {
    const isopod_packet_form form = {config->number, config->naming, config->device_bytes,
                                     config->tag_bytes != 0 ? config->tag_bytes : 8u};
    return form;
}

#endif
