/* Instructions per function of the guest, by the symbols of the kernel image, for each outermost
 * region. */
#ifndef ISOPOD_HISTOGRAM_H
#define ISOPOD_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the file for lines "region instructions function"; false if it cannot be written. */
bool histogram_open(const char *path);
bool histogram_is_open(void);

/* The counter of a function; symbol may be NULL. Functions beyond the capacity share the last
 * counter. */
uint64_t *histogram_counter(const char *symbol);

/* Begins and ends an outermost region; the end writes every function executed in it. */
void histogram_begin(void);
void histogram_end(size_t region);
void histogram_close(void);

#endif
