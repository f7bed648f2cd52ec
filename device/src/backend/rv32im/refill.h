/* The refill stream of the mask, for kernels that read candidates by themselves. */
#ifndef ISOPOD_RV32IM_REFILL_H
#define ISOPOD_RV32IM_REFILL_H

#include "../../suite_block.h"

/* The next accepted value (spec/ckks.md, section 3.3). */
uint32_t isopod_rv32im_refill(isopod_mask *mask);

#endif
