/* The products of key generation (spec/ckks.md, section 7): the mask times the secret key, and the
 * mask in Montgomery form; and their sums with the error. */
#ifndef ISOPOD_KEY_PRODUCTS_H
#define ISOPOD_KEY_PRODUCTS_H

#include "../base/word.h"

/* b = a*b / R, |out| <= q, then a in Montgomery form, canonical. In 0 <= a < q and |b| < 2q, or in
 * 64-bit words as the backend's NTT leaves b; count is a multiple of 4. */
void isopod_key_products(isopod_word *a, isopod_word *b, uint32_t count,
                         const isopod_word_prime *prime);

/* a = (a*R^2 + b*R) / R, canonical. In |a| < 2q as ntt leaves it and |b| <= q as above; count is a
 * multiple of 4. */
void isopod_key_sums(isopod_word *a, const isopod_word *b, uint32_t count,
                     const isopod_word_prime *prime);

#endif
