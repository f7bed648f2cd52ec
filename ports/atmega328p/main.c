/* A program for an Arduino Uno's controller: 2 KB of RAM, 32 KB of flash. It encrypts packets of
 * READINGS readings of 12 bits and prints their digest; compiled for the host it prints the same.
 * On the board it also prints the cycles of a packet (by timer 1), the depth of the stack, and the
 * RAM of everything beside it, as lines of name and hexadecimal number.
 *
 * -DREADINGS=        1 or 10
 * blob.h             defines BLOB, the 32-bit words of a ternary key, and CONTEXT_KEY
 */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include <stdint.h>

#include "isopod/packet.h"

#include "blob.h"
#include "board.h"

enum { PACKET_BYTES = 15 + (21 * READINGS + 7) / 8 };

static const uint32_t blob[] PROGMEM = {BLOB};
static const uint8_t context_key[ISOPOD_CONTEXT_KEY_BYTES] PROGMEM = {CONTEXT_KEY};
static _Alignas(8) uint8_t workspace[ISOPOD_PACKET_STREAM_WORKSPACE(READINGS)];

/* Repeats itself, so that both machines give the same bytes. Never use it in a product. */
static int repeatable(void *state, uint8_t *out, size_t length) {
    uint32_t *z = state;
    for (size_t i = 0; i < length; i++) {
        *z = *z * 1664525U + 1013904223U;
        out[i] = (uint8_t)(*z >> 24);
    }
    return 0;
}

static uint32_t seed = 1;
static isopod_entropy entropy = {.fill = repeatable, .state = &seed};
static isopod_sender sender = {.device = 1, .epoch = 1}; /* without a key: it announces nothing */
static isopod_packet_context context;
/* The packet takes the place of its readings. */
static union {
    int16_t readings[READINGS];
    uint8_t packet[PACKET_BYTES];
} message;

static isopod_status encrypt(uint32_t *cycles) {
    const isopod_packet_encryptor encryptor = {
        .workspace = {workspace, sizeof workspace}, .entropy = &entropy, .sender = &sender};
    const isopod_values values = {message.readings, READINGS, ISOPOD_VALUES_INT16};
    size_t length;
    uint32_t started = now();
    isopod_status status =
        isopod_packet_encrypt(&context, &encryptor, &values, message.packet, PACKET_BYTES, &length);
    *cycles = now() - started;
    return status;
}

static isopod_status open(isopod_packet_config *config, isopod_key *key) {
    isopod_status status = isopod_packet_key_embed(key, &isopod_ckks_1024x1_sum, blob, sizeof blob);
    return status == ISOPOD_OK ? isopod_packet_resume(&context, config, &sender, context_key)
                               : status;
}

int main(void) {
    static isopod_key key;
    static isopod_packet_config config = {.params = &isopod_ckks_1024x1_sum,
                                          .key = &key,
                                          .scheme = &isopod_packet_ckks,
                                          .method = &isopod_packet_stream,
                                          .columns = READINGS,
                                          .log2_scale = 18,
                                          .log2_unit = -11,
                                          .dropped = 5,
                                          .device_bytes = 4};
    uint32_t hash = 2166136261U, cycles = 0;
    isopod_status status = open(&config, &key);
    start_clock();
    paint_stack();
    for (uint8_t turn = 0; turn < 3 && status == ISOPOD_OK; turn++) {
        for (uint8_t i = 0; i < READINGS; i++) {
            message.readings[i] = (int16_t)(397 * i + 100 * turn - 2000);
        }
        status = encrypt(&cycles);
        hash = digest(hash, message.packet, PACKET_BYTES);
    }
    report(hash, status, cycles, stack_used());
    return 0;
}
