/* What a result claims about itself, checked against its set. */
#ifndef ISOPOD_CLAIM_H
#define ISOPOD_CLAIM_H

#include "isopod/decrypt.h"

/* ISOPOD_OK, _LEVEL, _SCALE or _COUNT: what a result of the set may claim. */
isopod_status isopod_claim_check(const isopod_params *params, const isopod_claim *claim);

/* c of spec/decryption.md, -1 if the scale (bits of a float64) is not allowed. */
int32_t isopod_log2_scale(uint64_t scale);

#endif
