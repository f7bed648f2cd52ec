/* Bit-packed residues (spec/wire.md, section 1). */
#ifndef ISOPOD_PACKING_H
#define ISOPOD_PACKING_H

#include "../base/word.h"

/* Packs `count` residues (a multiple of 32, in 64-bit words of 64) of `bits` bits in place, little
 * endian; returns the number of bytes. */
uint32_t isopod_pack_in_place(isopod_residue *residues, uint32_t count, uint32_t bits);

#endif
