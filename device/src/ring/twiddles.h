/* Making tables of twiddles. Public. */
#ifndef ISOPOD_TWIDDLES_H
#define ISOPOD_TWIDDLES_H

#include "../base/limb.h"

/* n limbs: psi^brv(i) * R mod q, centred. */
void isopod_build_twiddles(isopod_limb *twiddles, const isopod_limb_prime *prime,
                           uint32_t log2_degree);

#endif
