/* Making tables of twiddles. */
#ifndef ISOPOD_TWIDDLES_H
#define ISOPOD_TWIDDLES_H

#include "isopod/params.h"

/* n words: psi^brv(i) * 2^32 mod q, centred. */
void isopod_build_twiddles(int32_t *twiddles, const isopod_prime *prime, uint32_t log2_degree);

#endif
