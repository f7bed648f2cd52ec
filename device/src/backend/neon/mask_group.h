/* The uniform mask, many residues at a time. */
#ifndef ISOPOD_NEON_MASK_GROUP_H
#define ISOPOD_NEON_MASK_GROUP_H

#include "../../random/suite_block.h"

#define ISOPOD_NEON_MASK_MOST 256u

/* Gives the next `count` residues, a multiple of 32 up to ISOPOD_NEON_MASK_MOST, of a suite whose
 * candidates are bit fields. */
void isopod_neon_mask(isopod_mask *mask, uint32_t *out, uint32_t count);

#endif
