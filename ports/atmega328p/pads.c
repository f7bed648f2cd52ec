/* A program for an Arduino Uno's controller: it encrypts packets of ten integers under pads and
 * prints their digest; compiled for the host it prints the same. On the board it also prints the
 * cycles of the last packet, the depth of the stack, and the RAM of everything beside it, as lines
 * of name and hexadecimal number.
 *
 * -DLAST=            the sequence of the last packet: 2, or 15 for one that crosses the tree
 */
#include <stdint.h>

#include "isopod/pad.h"

#include "board.h"

enum { COLUMNS = 10, PACKET_BYTES = 13 + 2 * COLUMNS };

static isopod_sender sender = {.device = 1, .epoch = 1}; /* without a key: it announces nothing */
static const isopod_pad_keys keys PROGMEM = {{3, 10, 17}, {1, 6, 11}};
static isopod_pad_context context;
/* The packet takes the place of its readings. */
static union {
    int16_t readings[COLUMNS];
    uint8_t packet[PACKET_BYTES];
} message;

static isopod_status encrypt(uint32_t *cycles) {
    const isopod_pad_encryptor encryptor = {.sender = &sender};
    const isopod_values values = {message.readings, COLUMNS, ISOPOD_VALUES_INT16};
    size_t length;
    uint32_t started = now();
    isopod_status status =
        isopod_pad_encrypt(&context, &encryptor, &values, message.packet, PACKET_BYTES, &length);
    *cycles = now() - started;
    return status;
}

int main(void) {
    static const isopod_pad_config config = {
        .bound = 2048, .columns = COLUMNS, .width = 2, .device_bytes = 2};
    uint32_t hash = 2166136261U, cycles = 0;
    isopod_status status = isopod_pad_open(&context, &config, &sender, &keys);
    start_clock();
    paint_stack();
    for (uint8_t turn = 0; turn <= LAST && status == ISOPOD_OK; turn++) {
        for (uint8_t i = 0; i < COLUMNS; i++) {
            message.readings[i] = (int16_t)(397 * i + 10 * turn - 2000);
        }
        status = encrypt(&cycles);
        hash = digest(hash, message.packet, PACKET_BYTES);
    }
    report(hash, status, cycles, stack_used());
    return 0;
}
