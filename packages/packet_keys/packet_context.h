/* The context of the samples' packets: one reading of 10 bits, as it comes from a converter less
 * 512, in units of 2^-9. The board and packet_keys.c read the same lines. */
#pragma once
#include "isopod/packet.h"

static void describe_packets(isopod_packet_config *config, const isopod_key *key) {
    config->params = &isopod_ckks_1024x1_sum;
    config->key = key;
    config->scheme = &isopod_packet_ckks;
    config->method = &isopod_packet_stream;
    config->columns = 1;
    config->log2_scale = 18;
    config->log2_unit = -9;
    config->dropped = 5;
    config->number = 1;
    config->device_bytes = 4;
    config->tag_bytes = 8;
}
