/* Bit-packed residues (spec/wire.md, section 1). */
#ifndef ISOPOD_PACKING_H
#define ISOPOD_PACKING_H

#include <stdint.h>

/* Packs `count` residues (a multiple of 32) of `bits` bits in place, little endian; returns the
 * number of bytes. */
uint32_t isopod_pack_in_place(uint32_t *residues, uint32_t count, uint32_t bits);

#endif
