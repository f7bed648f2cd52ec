/* The passes of a compact polynomial's transform. */
#ifndef ISOPOD_ARMV7EM_POLYNOMIAL_PASSES_H
#define ISOPOD_ARMV7EM_POLYNOMIAL_PASSES_H

#include "../../../ring/polynomial.h"

/* One chunk of the polynomial's NTT up to, not including, the last pass: |x| as in
 * ntt_armv7em.c. */
void isopod_polynomial_passes(int32_t *out, const isopod_polynomial *polynomial,
                              const isopod_ntt *ntt);

#endif
