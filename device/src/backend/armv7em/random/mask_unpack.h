/* Bit fields of aligned words, for masks and packed residues. */
#ifndef ISOPOD_ARMV7EM_MASK_UNPACK_H
#define ISOPOD_ARMV7EM_MASK_UNPACK_H

#include "../../../random/suite_block.h"

/* Unpacks the 32 fields of words[0..bits-1]. Not zero if any field is >= modulus. out may end where
 * words end: field i is written only after all words of the fields 0 .. i were read. */
uint32_t isopod_mask_unpack(uint32_t *out, const uint32_t *words, const isopod_prime *prime);

#endif
