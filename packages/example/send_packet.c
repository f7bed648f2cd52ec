#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1 /* packets need it: see SECURITY.md */
#include "send_packet.h"

#include "isopod/packet.h"
#include "packet_context.h"
#include "packet_keys.h" /* packet_keys.c, on the owner's machine */

static uint64_t workspace[ISOPOD_PACKET_STREAM_WORKSPACE(1) / 8];
static isopod_key key;
static isopod_entropy entropy = {.fill = board_random};
/* The epoch stays: the sequence goes on after a restart. */
static isopod_sender sender = {.device = ISOPOD_DEVICE, .epoch = 1, .key = isopod_device_key};
static isopod_packet_counter counter = {.next = isopod_counter_next, .step = 64};
static const isopod_packet_encryptor encryptor = {
    {workspace, sizeof workspace}, &entropy, &sender, &counter};
static isopod_packet_config config;
static isopod_packet_context context;

isopod_status start_packets(void) {
    counter.flash = board_flash();
    if (counter.flash == NULL) {
        return ISOPOD_ERROR_FLASH;
    }
    isopod_status status = isopod_packet_key_embed(&key, &isopod_ckks_1024x1_sum, isopod_packet_key,
                                                   sizeof isopod_packet_key);
    if (status == ISOPOD_OK) {
        describe_packets(&config, &key);
        status = isopod_packet_resume(&context, &config, &sender, isopod_context_key);
    }
    return status;
}

isopod_status make_packet(int16_t reading, uint8_t packet[PACKET_BYTES]) {
    const int16_t centred = (int16_t)(reading - READING_MIDDLE);
    const isopod_values values = {&centred, 1, ISOPOD_VALUES_INT16};
    size_t length;
    return isopod_packet_encrypt(&context, &encryptor, &values, packet, PACKET_BYTES, &length);
}
