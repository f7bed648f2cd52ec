/* The passes of a compact polynomial's transform. */
#ifndef ISOPOD_ARMV7EM_POLYNOMIAL_PASSES_H
#define ISOPOD_ARMV7EM_POLYNOMIAL_PASSES_H

#include "../../../ring/polynomial.h"

/* Computes one chunk of the polynomial's NTT except for the last pass: |x| as in ntt_armv7em.c. */
void isopod_polynomial_passes(int32_t *out, const isopod_polynomial *polynomial,
                              const isopod_ntt *ntt);

#endif
