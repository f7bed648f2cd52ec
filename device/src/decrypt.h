/* What the parser of results and decryption share. */
#ifndef ISOPOD_SRC_DECRYPT_H
#define ISOPOD_SRC_DECRYPT_H

#include "isopod/decrypt.h"

/* ISOPOD_OK, _LEVEL, _SCALE or _COUNT: what an answer may say about a result of the set. */
isopod_status isopod_answer_check(const isopod_ckks_params *params, const isopod_answer *answer);

#endif
