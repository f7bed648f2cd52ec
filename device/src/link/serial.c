/* Packets on byte streams (spec/link.md, section 4): CRC-32C, then consistent overhead byte
 * stuffing [COBS99], after which zeros stand at both ends only. */
#include "isopod/link.h"

#include "../base/memory.h"
#include "packet.h"

#define CRC_BYTES 4u
#define LONGEST_BLOCK 255u

/* Four bits at a time, by the reflected polynomial 0x82f63b78. */
uint32_t isopod_crc32c(uint32_t crc, const uint8_t *bytes, size_t length) {
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                       0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                       0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    crc = ~crc;
    for (const uint8_t *end = bytes + length; bytes != end; bytes++) {
        crc ^= *bytes;
        crc = crc >> 4 ^ table[crc & 15u];
        crc = crc >> 4 ^ table[crc & 15u];
    }
    return ~crc;
}

/* A block that is being written: its code stands before it. */
typedef struct {
    uint8_t *code;
    uint8_t *at;
} block;

static void close_block(block *to) {
    *to->code = (uint8_t)(to->at - to->code);
    to->code = to->at++;
}

static void stuff(block *to, const uint8_t *bytes, size_t length) {
    for (const uint8_t *end = bytes + length; bytes != end; bytes++) {
        if (*bytes != 0) {
            *to->at++ = *bytes;
        }
        if (*bytes == 0 || to->at - to->code == (int)LONGEST_BLOCK) {
            close_block(to);
        }
    }
}

size_t isopod_serial_write(uint8_t *out, const uint8_t *packet, size_t length) {
    uint8_t crc[CRC_BYTES];
    block to = {out + 1, out + 2};
    *out = 0;
    isopod_store32(crc, isopod_crc32c(0, packet, length));
    stuff(&to, packet, length);
    stuff(&to, crc, sizeof crc);
    close_block(&to);
    *to.code = 0;
    return (size_t)(to.at - out);
}

/* The end of a packet: its length, or 0 if it is damaged. */
static size_t finish(isopod_serial *serial) {
    size_t length = serial->length;
    int is_whole = serial->is_broken == 0 && serial->left == 0 && length > CRC_BYTES;
    serial->length = 0;
    serial->left = 0;
    serial->code = 0;
    serial->is_broken = 0;
    if (!is_whole) {
        return 0;
    }
    length -= CRC_BYTES;
    uint32_t crc = isopod_crc32c(0, serial->packet, length);
    return crc == isopod_load32(serial->packet + length) ? length : 0;
}

/*@ requires \valid(serial) && serial->length <= serial->capacity;
    requires \valid(serial->packet + (0 .. serial->capacity - 1));
    requires \separated(serial, serial->packet + (0 .. serial->capacity - 1));
    assigns serial->length, serial->is_broken, serial->packet[serial->length];
    ensures serial->length <= serial->capacity; */
static void store(isopod_serial *serial, uint8_t byte) {
    if (serial->length == serial->capacity) {
        serial->is_broken = 1;
    } else {
        serial->packet[serial->length++] = byte;
    }
}

size_t isopod_serial_read(isopod_serial *serial, uint8_t byte) {
    if (byte == 0) {
        return finish(serial);
    }
    if (serial->is_broken) {
        return 0;
    }
    if (serial->left != 0) {
        serial->left--;
        store(serial, byte);
        return 0;
    }
    if (serial->code != 0 && serial->code != LONGEST_BLOCK) {
        store(serial, 0);
    }
    serial->code = byte;
    serial->left = (uint8_t)(byte - 1u);
    return 0;
}
