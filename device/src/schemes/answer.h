/* What a result says about itself, checked against its set. */
#ifndef ISOPOD_ANSWER_H
#define ISOPOD_ANSWER_H

#include "isopod/decrypt.h"

/* ISOPOD_OK, _LEVEL, _SCALE or _COUNT: what an answer may say about a result of the set. */
isopod_status isopod_answer_check(const isopod_params *params, const isopod_answer *answer);

/* c of spec/decryption.md, -1 if the scale (bits of a float64) is not allowed. */
int32_t isopod_log2_scale(uint64_t scale);

#endif
