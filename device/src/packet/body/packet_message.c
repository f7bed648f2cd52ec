/* Messages and errors of the coefficients that are sent (spec/packet.md, section 2). They come
 * before the product where it is streamed: the noise key is then not needed any more. Constant
 * time. */
#include "../packet.h"

#include "../../base/memory.h"

static uint32_t place_of(const isopod_packet_config *config, uint32_t index) {
    uint32_t run = isopod_packet_run(config);
    return index / run * isopod_packet_stride(config) + index % run;
}

/* Ends before the first place of another group of errors; returns its index. */
static ISOPOD_NOINLINE uint32_t subtract_group(const isopod_packet *packet, uint32_t index,
                                               uint32_t group) {
    const isopod_packet_config *config = packet->config;
    const uint32_t run = isopod_packet_run(config), count = isopod_packet_coefficients(config);
    uint32_t row = index / run, column = index % run, place = place_of(config, index);
    for (; index < count && place / ISOPOD_PACKET_ERRORS == group; index++) {
        int32_t addend = packet->state->error[place % ISOPOD_PACKET_ERRORS];
        if (column < config->columns) {
            addend += ISOPOD_PROGRAM_READ(config->scheme->message)(
                packet, isopod_packet_value_at(packet->values, row * config->columns + column));
        }
        ISOPOD_PROGRAM_READ(config->method->subtract)(packet, index, addend);
        place++;
        if (++column == run) {
            column = 0;
            row++;
            place += isopod_packet_stride(config) - run;
        }
    }
    return index;
}

void isopod_packet_subtract_messages(const isopod_packet *packet) {
    const uint32_t count = isopod_packet_coefficients(packet->config);
    for (uint32_t index = 0; index < count;) {
        uint32_t group = place_of(packet->config, index) / ISOPOD_PACKET_ERRORS;
        isopod_packet_sample(packet->state, group);
        index = subtract_group(packet, index, group);
    }
}
