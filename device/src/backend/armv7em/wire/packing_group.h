/* Packing of one group of residues. */
#ifndef ISOPOD_ARMV7EM_PACKING_GROUP_H
#define ISOPOD_ARMV7EM_PACKING_GROUP_H

#include "../../../ring/packing.h"

/* Packs 32 residues into `bits` words; out may be residues or lie before it. */
void isopod_pack_group(uint32_t *out, const uint32_t *residues, uint32_t bits);

#endif
