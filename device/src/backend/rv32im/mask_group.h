/* The mask from candidates that the caller took from the stream, many groups at a time. */
#ifndef ISOPOD_RV32IM_MASK_GROUP_H
#define ISOPOD_RV32IM_MASK_GROUP_H

#include "../../suite_block.h"

/* 32 residues from the next `bits` words of mask->candidates, which the caller has taken. */
void isopod_rv32im_mask_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP],
                              const uint32_t *candidates);

#endif
