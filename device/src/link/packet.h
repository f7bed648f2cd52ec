/* Packets of a link (spec/link.md, section 1). */
#ifndef ISOPOD_PACKET_H
#define ISOPOD_PACKET_H

#include <stddef.h>
#include <stdint.h>

/* The first byte. */
#define ISOPOD_PACKET_DATA 0x10u
#define ISOPOD_PACKET_LAST 0x20u /* with DATA: nothing follows */
#define ISOPOD_PACKET_ASKS 0x40u /* with DATA: the receiver answers */
#define ISOPOD_PACKET_ANSWER 0x80u

/*@ requires \valid_read(in + (0 .. 1));
    assigns \nothing; */
static inline uint16_t isopod_load16(const uint8_t *in) {
    return (uint16_t)(in[0] | (uint16_t)in[1] << 8);
}

/*@ requires \valid(out + (0 .. 1));
    assigns out[0 .. 1]; */
static inline void isopod_store16(uint8_t *out, uint16_t value) {
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

/* CRC-32C [CASTAGNOLI93] of more bytes, from 0 for none. */
uint32_t isopod_crc32c(uint32_t crc, const uint8_t *bytes, size_t length);

#endif
