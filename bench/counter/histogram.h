/* Instructions per function of the guest, by the symbols of the kernel image, for each outermost
 * region. */
#ifndef ISOPOD_HISTOGRAM_H
#define ISOPOD_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the lines "region instructions function" go; false if the file cannot be written. */
bool histogram_open(const char *path);
bool histogram_is_open(void);

/* The counter of a function; symbol may be NULL. Functions beyond the capacity share the last
 * counter. */
uint64_t *histogram_counter(const char *symbol);

/* Around an outermost region; end writes every function that executed in it. */
void histogram_begin(void);
void histogram_end(size_t region);
void histogram_close(void);

#endif
