/* The product a*s of a packet without a transform (spec/packet.md, section 8): each element of the
 * mask leaves the stream once and is added to every sum. */
#include "../packet.h"

#include "../../base/memory.h"

static size_t workspace_bytes(const isopod_packet_config *config) {
    return ISOPOD_PACKET_STREAM_WORKSPACE(isopod_packet_coefficients(config));
}

static isopod_packet_sum *sums_of(const isopod_packet *packet) {
    return (isopod_packet_sum *)(void *)((uint8_t *)packet->state + ISOPOD_PACKET_STATE_BYTES);
}

/* Adds the group to the sums of all rows. */
static void accumulate(const isopod_packet *packet, isopod_packet_place *place) {
    const isopod_packet_config *config = packet->config;
    isopod_packet_sum *sums = sums_of(packet);
    uint32_t rows = isopod_packet_rows(config);
    place->first = 0;
    for (uint32_t row = 0; row < rows; row++, sums += place->count) {
        isopod_packet_accumulate(sums, packet->state->group, place);
        place->first += isopod_packet_stride(config);
    }
}

static ISOPOD_NOINLINE void add_products(const isopod_packet *packet) {
    const isopod_packet_config *config = packet->config;
    isopod_packet_place place = {.key = config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4u,
                                 .n = UINT32_C(1) << config->params->log2_ring_degree,
                                 .count = isopod_packet_run(config)};
    isopod_packet_mask_start(packet->state);
    for (place.at = 0; place.at < place.n; place.at += ISOPOD_PACKET_GROUP) {
        isopod_packet_mask_group(packet->state, packet->prime);
        accumulate(packet, &place);
    }
}

static void multiply(const isopod_packet *packet) {
    isopod_packet_subtract_messages(packet);
    add_products(packet);
}

#if ISOPOD_BACKEND_IS(avr)
static void subtract(const isopod_packet *packet, uint32_t index, int32_t addend) {
    const isopod_packet_sum sum = {(uint32_t)-addend, (int16_t)(-addend >> 31)};
    sums_of(packet)[index] = sum;
}

static int64_t product(const isopod_packet *packet, uint32_t index) {
    const isopod_packet_sum *sum = sums_of(packet) + index;
    return (int64_t)((uint64_t)(int64_t)sum->high << 32 | sum->low);
}
#else
static void subtract(const isopod_packet *packet, uint32_t index, int32_t addend) {
    sums_of(packet)[index] = -addend;
}

static int64_t product(const isopod_packet *packet, uint32_t index) {
    return sums_of(packet)[index];
}
#endif

const isopod_packet_method isopod_packet_stream ISOPOD_PROGRAM_MEMORY = {.workspace_bytes =
                                                                             workspace_bytes,
                                                                         .multiply = multiply,
                                                                         .subtract = subtract,
                                                                         .product = product};
