/* Bit fields of aligned words, for masks and packed residues. */
#ifndef ISOPOD_ARMV7EM_MASK_UNPACK_H
#define ISOPOD_ARMV7EM_MASK_UNPACK_H

#include "../../../random/suite_block.h"

/* Unpacks the 32 fields of words[0..bits-1]. Not zero if any field is >= modulus. out may end where
 * words do: field i is written after the last word that it and those before it need was read. */
uint32_t isopod_mask_unpack(uint32_t *out, const uint32_t *words, const isopod_prime *prime);

#endif
