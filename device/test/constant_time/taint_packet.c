/* Packets with key, device key, entropy and values undefined (taint_packet.h). */
#include "taint_packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

#include "../harness/check.h"
#include "../packet/packet_input.h"

#define MOST_PACKET 1600u

static uint8_t undefined[MOST_PACKET];

static _Noreturn void give_up(const char *why) {
    printf("failed: %s\n", why);
    exit(1);
}

static int secret_fill(void *state, uint8_t *out, size_t length) {
    int status = fixture_fill(state, out, length);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(out, length);
    return status;
}

static void hide_key(packet_fixture *packet, isopod_key *key) {
    fixture *set = &packet->set;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(set->blob + ISOPOD_KEY_HEADER_BYTES / 4,
                                      set->blob_bytes - ISOPOD_KEY_HEADER_BYTES);
    if (isopod_packet_key_open(key, set->params, set->blob, set->blob_bytes) != ISOPOD_OK) {
        give_up("the library refuses the key");
    }
    packet->config.key = key;
}

/* Fails unless header and body have the secrets that they must have. */
static void check_output(const uint8_t *out, size_t length, size_t header) {
    size_t count = 0;
    if (VALGRIND_GET_VBITS(out, undefined, length) != 1) {
        give_up("this program runs under valgrind only");
    }
    for (size_t i = 0; i < length; i++) {
        count += undefined[i] != 0;
        if (i < header && undefined[i] != 0) {
            give_up("the header depends on a secret");
        }
    }
    if (count < length - header) {
        give_up("the secrets did not reach the output");
    }
}

static void encrypt(packet_fixture *packet) {
    uint8_t *out = check_memory(MOST_PACKET);
    uint8_t device_key[32] = {9};
    isopod_key key;
    size_t length;
    hide_key(packet, &key);
    packet->set.sender.key = device_key;
    packet->set.entropy.fill = secret_fill;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(device_key, sizeof device_key);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(packet->values.data, packet->values.count * sizeof(int16_t));
    if (isopod_packet_open(&packet->context, &packet->config, &packet->set.sender) != ISOPOD_OK ||
        isopod_packet_encrypt(&packet->context, &packet->encryptor, &packet->values, out,
                              MOST_PACKET, &length) != ISOPOD_OK) {
        give_up("the library refuses the packet");
    }
    check_output(out, length, packet->config.naming == ISOPOD_NAMED_BY_RANDOM ? 9 : 7);
}

uint32_t taint_packet(void) {
    static const isopod_params *const sets[3] = {&isopod_ckks_1024x1_sum, &isopod_bfv_1024x1_count,
                                                 &isopod_ckks_2048x1_air};
    uint32_t runs = 0;
    for (uint32_t s = 0; s < 3; s++) {
        for (uint32_t way = 0; way < 4; way++) {
            packet_fixture packet;
            check_memory_reset();
            packet_fixture_open(&packet, sets[s]);
            packet.config.method = way % 2 == 0 ? &isopod_packet_stream : &isopod_packet_transform;
            packet.config.naming = way / 2 == 0 ? ISOPOD_NAMED_BY_SEQUENCE : ISOPOD_NAMED_BY_RANDOM;
            packet.config.tag_bytes = way == 3 ? 16 : 8;
            packet.config.dropped = way == 0 ? 5 : 0;
            packet_workspace(&packet);
            encrypt(&packet);
            runs++;
        }
    }
    return runs;
}
