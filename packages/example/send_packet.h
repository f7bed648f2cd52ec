/* A reading as an encrypted packet of 18 bytes: the program of the samples for radios. The board
 * gives a generator and two pages of flash. */
#ifndef SEND_PACKET_H
#define SEND_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/counter.h"
#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `out` from the board's random generator; 0, or anything else if that fails. */
int board_random(void *state, uint8_t *out, size_t length);

/* Two pages of flash that nothing else uses, which keep the sequence; NULL if there are none. */
const isopod_flash *board_flash(void);

enum { PACKET_BYTES = 18, READING_MIDDLE = 512 };

/* Once, before anything else: opens key and context. ISOPOD_OK, or why not. */
isopod_status start_packets(void);

/* Encrypts a reading of 10 bits. ISOPOD_OK, or why not; `packet` is then zeros. */
isopod_status make_packet(int16_t reading, uint8_t packet[PACKET_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
