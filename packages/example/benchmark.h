/* Measures how long each call of an encryption blocks its thread, with the choices of Kconfig: 512
 * real numbers in slots, by public key. The board gives a clock and a line of text. */
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `out` from the board's random generator; 0, or anything else if that fails. */
int board_random(void *state, uint8_t *out, size_t length);

/* Microseconds of a clock that runs on. */
uint32_t board_microseconds(void);

/* Prints a name and a number. */
void board_report(const char *name, uint32_t number);

/* ISOPOD_DONE, or why not. Reports: open_us, begin_us, all_us (with the frame), the longest
 * piece_us, frame_bytes, workspace_bytes. */
isopod_status run_benchmark(void);

#ifdef __cplusplus
}
#endif

#endif
