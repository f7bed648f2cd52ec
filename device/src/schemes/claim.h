/* The claims of a result (spec/wire.md, section 3), checked against its set. */
#ifndef ISOPOD_CLAIM_H
#define ISOPOD_CLAIM_H

#include "isopod/decrypt.h"

/* Checks the claims of a result of the set: ISOPOD_OK, or ISOPOD_ERROR_LEVEL, _SCALE, _COUNT. */
isopod_status isopod_claim_check(const isopod_params *params, const isopod_claim *claim);

/* Checks claims whose values have so many places. */
isopod_status isopod_claim_check_within(const isopod_params *params, const isopod_claim *claim,
                                        uint32_t places);

/* c of spec/decryption.md, section 2, for a scale as the bits of a float64; -1 if the scale is out
 * of range. */
int32_t isopod_log2_scale(uint64_t scale);

#endif
