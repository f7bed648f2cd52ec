/* The products that key generation needs of a mask, and their sums with noise. */
#ifndef ISOPOD_KEY_PRODUCTS_H
#define ISOPOD_KEY_PRODUCTS_H

#include "../base/word.h"

/* b = a*b / R, |out| <= q, and a to Montgomery form, canonical. In 0 <= a < q, and |b| < 2q, or in
 * 64-bit words what ntt64 leaves; count is a multiple of 4. */
void isopod_key_products(isopod_word *a, isopod_word *b, uint32_t count,
                         const isopod_word_prime *prime);

/* a = (a*R^2 + b*R) / R, canonical. In |a| < 2q as ntt leaves it and |b| <= q as above; count is a
 * multiple of 4. */
void isopod_key_sums(isopod_word *a, const isopod_word *b, uint32_t count,
                     const isopod_word_prime *prime);

#endif
