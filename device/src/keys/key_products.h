/* The products that key generation needs of a mask. */
#ifndef ISOPOD_KEY_PRODUCTS_H
#define ISOPOD_KEY_PRODUCTS_H

#include "../base/limb.h"

/* b = a*b / R, |out| <= q, and a to Montgomery form, canonical. In 0 <= a < q, and |b| < 2q, or in
 * 64-bit limbs what wide_ntt leaves; count is a multiple of 4. */
void isopod_key_products(isopod_limb *a, isopod_limb *b, uint32_t count,
                         const isopod_limb_prime *prime);

#endif
