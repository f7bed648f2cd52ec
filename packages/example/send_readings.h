/* Readings as encrypted frames: the program of every sample. The board gives three functions. */
#ifndef SEND_READINGS_H
#define SEND_READINGS_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `out` from the board's random generator; 0, or anything else if that fails. */
int board_random(void *state, uint8_t *out, size_t length);

/* Starts of the board so far, this one included, from non-volatile memory, which keeps the number
 * before it is returned. 0 if that memory cannot be read or written: nothing is then sent. 1 only
 * where it says that it holds no number. */
uint32_t board_starts(void);

/* Sends bytes to whoever carries them to the server. */
void board_send(const uint8_t *bytes, size_t length);

enum { READINGS = 24 };

/* Once, before anything else: opens the key. ISOPOD_OK, or why not. */
isopod_status start_sending(void);

/* Encrypts readings of at most 64 in magnitude and sends their frame. ISOPOD_DONE, or why not. */
isopod_status send_readings(const float readings[READINGS]);

#ifdef __cplusplus
}
#endif

#endif
