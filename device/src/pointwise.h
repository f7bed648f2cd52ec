/* Products in the NTT domain: one Montgomery reduction for the transform's value and the product
 * together. */
#ifndef ISOPOD_POINTWISE_H
#define ISOPOD_POINTWISE_H

#include "suite_block.h"

/* x[i] + a[i]*key[i], canonical. In |x| < 2^31, |a| < q, key in Montgomery form < q: the reduction
 * gives |y| < q/4 + q/4 + q/2 = q. The result is left in x as unsigned residues. */
void isopod_multiply_add(int32_t *x, const int32_t *a, const uint32_t *key, uint32_t count,
                         const isopod_prime *prime);

/* The same with a = the mask, from where it stands. count is a multiple of 32. */
void isopod_multiply_add_mask(int32_t *x, isopod_mask *mask, const uint32_t *key, uint32_t count);

/* Reduces in place to |x| < 3q/4. */
void isopod_reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime);

/* Brings |x| < 2^31 in place to Montgomery form, canonical. */
void isopod_to_montgomery_all(int32_t *x, uint32_t count, const isopod_prime *prime);

/* Reduces in place to canonical residues. */
void isopod_canonical_all(int32_t *x, uint32_t count, const isopod_prime *prime);

#endif
