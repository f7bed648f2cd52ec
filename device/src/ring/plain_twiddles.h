/* Twiddles modulo the plaintext modulus of BFV, which is below 2^30 in every set. Public. */
#ifndef ISOPOD_PLAIN_TWIDDLES_H
#define ISOPOD_PLAIN_TWIDDLES_H

#include "isopod/params.h"

/* Writes the n words of isopod_tables.plain. */
void isopod_build_plain_twiddles(int32_t *twiddles, const isopod_bfv_params *params);

#endif
