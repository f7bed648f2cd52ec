/* Frames over links that lose bytes (spec/link.md). A transfer splits a frame into numbered packets
 * that fit the transport, and the receiver asks again for the packets that are missing. On byte
 * streams a packet's beginning is found again after lost bytes. Nothing is encrypted here, because
 * frames are authenticated already. The caller owns the memory. Side channels: all data is public.
 * Each object belongs to one thread; an interrupt that receives bytes hands them over to it. */
#ifndef ISOPOD_LINK_H
#define ISOPOD_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_LINK_HEADER_BYTES 5u
#define ISOPOD_LINK_ACKNOWLEDGEMENT_BYTES 9u
#define ISOPOD_LINK_WINDOW 32u /* packets in memory, at most */

/* Payloads of some transports: LoRaWAN in Europe at DR0 to DR2, DR3, DR4 and above; notifications
 * of Bluetooth LE with an ATT_MTU of m. */
#define ISOPOD_LINK_LORAWAN_DR0 51u
#define ISOPOD_LINK_LORAWAN_DR3 115u
#define ISOPOD_LINK_LORAWAN_DR4 222u
#define ISOPOD_LINK_BLE(m) ((m)-3u)

/* One transfer, usually of one frame. Members are private; 92 bytes on a 32-bit machine. */
typedef struct {
    uint8_t *memory;
    uint32_t waiting; /* bit i: packet first + i has to be sent */
    uint32_t arrived; /* bit i: packet first + i was acknowledged */
    uint16_t packet_bytes;
    uint16_t transfer;
    uint16_t first; /* the oldest packet that was not acknowledged */
    uint16_t next;  /* number of the next packet given */
    uint16_t lengths[ISOPOD_LINK_WINDOW];
    uint8_t slots;
    uint8_t has_ended;
} isopod_link;

/* Starts a transfer. `memory` holds bytes / packet_bytes packets, at most ISOPOD_LINK_WINDOW, until
 * they are acknowledged. packet_bytes is the transport's payload, at least 9. `transfer` must
 * differ from the previous transfer's number, also after a restart; the low bits of epoch +
 * sequence do. Errors: ISOPOD_ERROR_WORKSPACE. */
ISOPOD_MUST_CHECK isopod_status isopod_link_begin(isopod_link *link, void *memory, size_t bytes,
                                                  uint16_t packet_bytes, uint16_t transfer);

/* Returns the place for the next packet's bytes, and how many fit; NULL while all memory waits for
 * acknowledgements, and after the last packet. */
uint8_t *isopod_link_room(isopod_link *link, size_t *room);

/* Gives `length` bytes that were written there; is_last ends the transfer, and length may then be
 * 0. Errors: ISOPOD_ERROR_STATE without room; ISOPOD_ERROR_CAPACITY beyond the room, and after
 * 65,535 packets. */
ISOPOD_MUST_CHECK isopod_status isopod_link_give(isopod_link *link, size_t length, int is_last);

/* Returns the length of the next packet to send; 0 if there is none before an acknowledgement. */
size_t isopod_link_next(isopod_link *link, const uint8_t **packet);

/* Takes a packet of the receiver: frees packets that arrived and marks missing ones. Packets of
 * other transfers, and damaged ones, change nothing. */
void isopod_link_acknowledge(isopod_link *link, const uint8_t *packet, size_t length);

/* Marks the oldest packet for sending; its answer tells which others are missing. Call it after a
 * silence that is longer than packet and answer take. */
void isopod_link_repeat(isopod_link *link);

/* Marks all packets in memory for sending, where the transport brings no answers (spec/link.md,
 * section 3): send a transfer of at most ISOPOD_LINK_WINDOW packets, and again an hour later. */
void isopod_link_resend(isopod_link *link);

/* Whether everything has arrived. */
int isopod_link_is_done(const isopod_link *link);

/* Bytes of a packet on a byte stream, at most: CRC-32C, consistent overhead byte stuffing, and a
 * zero at both ends. */
#define ISOPOD_SERIAL_BYTES(length) ((length) + 4u + ((length) + 4u) / 254u + 3u)

/* Writes a packet for a byte stream; returns its bytes, at most ISOPOD_SERIAL_BYTES(length). */
size_t isopod_serial_write(uint8_t *out, const uint8_t *packet, size_t length);

/* Reads packets from a byte stream. Zero it, then set the first two members. */
typedef struct {
    uint8_t *packet;   /* memory for a packet and 4 bytes more */
    size_t capacity;   /* bytes of this memory */
    size_t length;     /* private from here on */
    uint8_t left;      /* bytes until the next code */
    uint8_t code;      /* code of the block */
    uint8_t is_broken; /* drops bytes until the next zero */
} isopod_serial;

/* Takes one byte. Returns the length of the packet that it completes, otherwise 0. The packet lies
 * in serial->packet until the next byte. Damaged packets, and packets beyond the capacity, are
 * dropped. After any loss, the packet behind the next zero byte is read again. */
size_t isopod_serial_read(isopod_serial *serial, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
