/* Models of instruction costs in cycles with zero wait states: README.md. */
#ifndef ISOPOD_COST_H
#define ISOPOD_COST_H

#include <stdbool.h>
#include <stdint.h>

/* code: the instruction's bytes in memory order, little endian, a 16-bit one in the low half.
 * after_memory: true if the previous instruction moved one word to or from memory; each function
 * updates it. */
uint32_t cost_cortex_m4(uint32_t code, bool *after_memory);
uint32_t cost_cv32e40p(uint32_t code, bool *after_memory);

#endif
