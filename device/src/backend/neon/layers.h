/* The passes of the transform that the kernels of this backend share. */
#ifndef ISOPOD_NEON_LAYERS_H
#define ISOPOD_NEON_LAYERS_H

#include "../../ring/polynomial.h"

/* Computes, for primes of up to 27 bits only, all layers of this chunk but the last two, |x| <=
 * (3/4 + 3l/4) q after l layers. */
void isopod_neon_head(int32_t *x, const isopod_polynomial *polynomial, const isopod_ntt *ntt);

/* Computes, for primes of up to 27 bits only and without reduction, the layers from `blocks` blocks
 * of the whole transform up to the last two, which are left; blocks = chunks or 4. */
void isopod_neon_middle(int32_t *x, const isopod_ntt *ntt, uint32_t blocks);

/* Computes the last two layers and reduces: |x| < 2q. */
void isopod_neon_last(int32_t *x, const isopod_ntt *ntt);

#endif
