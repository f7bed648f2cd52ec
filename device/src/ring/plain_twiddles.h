/* The twiddles modulo a plaintext modulus, which is narrow in every set. Public. */
#ifndef ISOPOD_PLAIN_TWIDDLES_H
#define ISOPOD_PLAIN_TWIDDLES_H

#include "isopod/params.h"

/* n words, as isopod_tables.plain has them. */
void isopod_build_plain_twiddles(int32_t *twiddles, const isopod_bfv_params *params);

#endif
