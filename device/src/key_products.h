/* The products that key generation needs of a mask. */
#ifndef ISOPOD_KEY_PRODUCTS_H
#define ISOPOD_KEY_PRODUCTS_H

#include <stdint.h>

#include "isopod/params.h"

/* b = a*b * 2^-32, |out| <= q, and a to Montgomery form, canonical. In 0 <= a < q, |b| < 2q; count
 * is a multiple of 4. */
void isopod_key_products(int32_t *a, int32_t *b, uint32_t count, const isopod_prime *prime);

#endif
