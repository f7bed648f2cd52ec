/* The first layers of the NTT of one of several chunks, for any degree. */
#ifndef ISOPOD_ARMV7EM_FOLD_PAIRS_H
#define ISOPOD_ARMV7EM_FOLD_PAIRS_H

#include "../../../ring/polynomial.h"

/* isopod_polynomial_fold for ntt->chunks > 1 and the loads of polynomial.h: |out| < 1.9 q. */
void isopod_fold_pairs(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt);

#endif
