/* The passes of the transform that the kernels of this backend share. */
#ifndef ISOPOD_NEON_LAYERS_H
#define ISOPOD_NEON_LAYERS_H

#include "../../ring/polynomial.h"

/* Primes of up to 27 bits only: all layers of this chunk but the last two, |x| <= (3/4 + 3l/4) q
 * after l layers. */
void isopod_neon_head(int32_t *x, const isopod_polynomial *polynomial, const isopod_ntt *ntt);

/* Primes of up to 27 bits only: from `blocks` blocks of the whole transform to before the last two
 * layers, no reduction; blocks = chunks or 4. */
void isopod_neon_middle(int32_t *x, const isopod_ntt *ntt, uint32_t blocks);

/* The last two layers, reducing: |x| < 2q. */
void isopod_neon_last(int32_t *x, const isopod_ntt *ntt);

#endif
