/* Packets with key, device key, entropy and values undefined (taint_packet.h). */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "taint_packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

#include "../harness/check.h"
#include "../harness/tfhe_fixture.h"
#include "../packet/packet_input.h"
#include "../pad/pad_input.h"
#include "isopod/tfhe_packet.h"

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

/* The last of these packets crosses to other sixteen sequences. */
static void encrypt_pads(uint8_t width) {
    pad_fixture pads;
    check_memory_reset();
    pad_fixture_open(&pads);
    uint8_t *out = check_memory(MOST_PACKET);
    size_t length;
    pads.config.width = width;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(pads.sender.key, ISOPOD_FRAME_KEY_BYTES);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(pads.pad_key, ISOPOD_PAD_KEY_BYTES);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(pads.values.data, PAD_COLUMNS * sizeof(int16_t));
    if (isopod_pad_derive(&pads.keys, &pads.config, &pads.sender, pads.pad_key) != ISOPOD_OK ||
        isopod_pad_open(&pads.context, &pads.config, &pads.sender, &pads.keys) != ISOPOD_OK) {
        give_up("the library refuses the pads");
    }
    isopod_pad_ratchet(pads.keys.root);
    for (pads.sender.sequence = 13; pads.sender.sequence < 16;) {
        if (isopod_pad_encrypt(&pads.context, &pads.encryptor, &pads.values, out, MOST_PACKET,
                               &length) != ISOPOD_OK) {
            give_up("the library refuses the integers");
        }
        check_output(out, length, 5);
    }
}

static void hide_numbers(const isopod_tfhe_values *values) {
    for (uint32_t r = 0; r < values->count; r++) {
        (void)VALGRIND_MAKE_MEM_UNDEFINED(values->runs[r].data, values->runs[r].count);
    }
}

/* Bits and bytes under a streamed key, which is opened again with its payload undefined. */
static void encrypt_tfhe(const isopod_tfhe_params *params, uint8_t naming) {
    tfhe_fixture set;
    check_memory_reset();
    tfhe_fixture_open(&set, params, TFHE_STREAM);
    uint8_t *out = check_memory(MOST_PACKET), device_key[32] = {7};
    const isopod_tfhe_values values = tfhe_fixture_values("1*9+2*3");
    const isopod_tfhe_packet_config config = {.params = params,
                                              .key = &set.key,
                                              .schema = &values,
                                              .accept_label = params->label,
                                              .naming = naming,
                                              .device_bytes = 4};
    const isopod_packet_encryptor encryptor = {
        .workspace = {check_memory(4096), 4096}, .entropy = &set.entropy, .sender = &set.sender};
    isopod_tfhe_packet_context context;
    size_t length;
    set.entropy.fill = secret_fill;
    set.sender.key = device_key;
    (void)VALGRIND_MAKE_MEM_UNDEFINED(device_key, sizeof device_key);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(set.blob + ISOPOD_KEY_HEADER_BYTES / 4,
                                      set.blob_bytes - ISOPOD_KEY_HEADER_BYTES);
    hide_numbers(&values);
    if (isopod_tfhe_stream_key_open(&set.key, params, set.blob, set.blob_bytes) != ISOPOD_OK ||
        isopod_tfhe_packet_open(&context, &config, &set.sender) != ISOPOD_OK ||
        isopod_tfhe_packet_encrypt(&context, &encryptor, &values, out, MOST_PACKET, &length) !=
            ISOPOD_OK) {
        give_up("the library refuses the packet of TFHE");
    }
    check_output(out, length, naming == ISOPOD_NAMED_BY_RANDOM ? 9 : 7);
}

static uint32_t taint_others(void) {
    for (uint8_t width = 2; width <= 4; width++) {
        encrypt_pads(width);
    }
    encrypt_tfhe(&isopod_tfhe_1024_tuniform, ISOPOD_NAMED_BY_SEQUENCE);
    encrypt_tfhe(&isopod_tfhe_2048_tfhe_rs, ISOPOD_NAMED_BY_RANDOM);
    return 5;
}

uint32_t taint_packet(void) {
    static const isopod_params *const sets[3] = {&isopod_ckks_1024x1_sum, &isopod_bfv_1024x1_count,
                                                 &isopod_ckks_2048x1_air};
    uint32_t runs = taint_others();
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
