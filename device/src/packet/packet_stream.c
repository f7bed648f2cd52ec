/* The product a*s of a packet without a transform (spec/packet.md, section 8): each element of the
 * mask leaves the stream once and is added to every sum. */
#include "packet.h"

#include "../base/memory.h"

static size_t workspace_bytes(const isopod_packet_config *config) {
    return ISOPOD_PACKET_STREAM_WORKSPACE(isopod_packet_coefficients(config));
}

static int64_t *sums_of(const isopod_packet *packet) {
    return (int64_t *)(void *)((uint8_t *)packet->state + ISOPOD_PACKET_STATE_BYTES);
}

/* Adds the group to the sums of all rows. */
static void accumulate(const isopod_packet *packet, isopod_packet_place *place) {
    const isopod_packet_config *config = packet->config;
    int64_t *sums = sums_of(packet);
    uint32_t rows = isopod_packet_rows(config);
    place->first = 0;
    for (uint32_t row = 0; row < rows; row++, sums += place->count) {
        isopod_packet_accumulate(sums, packet->state->group, place);
        place->first += isopod_packet_stride(config);
    }
}

static void multiply(const isopod_packet *packet) {
    const isopod_packet_config *config = packet->config;
    isopod_packet_place place = {.key = config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4u,
                                 .n = UINT32_C(1) << config->params->log2_ring_degree,
                                 .count = isopod_packet_run(config)};
    isopod_wipe(sums_of(packet), sizeof(int64_t) * isopod_packet_coefficients(config));
    for (place.at = 0; place.at < place.n; place.at += ISOPOD_PACKET_GROUP) {
        isopod_packet_mask_group(packet->state, packet->prime);
        accumulate(packet, &place);
    }
}

/* |result| < n*q. */
static int64_t product(const isopod_packet *packet, uint32_t index) {
    return sums_of(packet)[index];
}

const isopod_packet_method isopod_packet_stream = {
    .workspace_bytes = workspace_bytes, .multiply = multiply, .product = product};
