/* Products in the NTT domain: one Montgomery reduction for the transform's value and the product
 * together. A backend whose NTT of 64-bit words leaves other representatives, as armv7em does (0 <=
 * x < 2^63), replaces these functions, too. */
#ifndef ISOPOD_POINTWISE_H
#define ISOPOD_POINTWISE_H

#include "../random/suite_block.h"

/* Computes x[i] + a[i]*key[i], canonical. In |x| < R/2, |a| < q, key in Montgomery form < q: the
 * reduction gives |y| < q/4 + q*q/R + q/2 <= q, q <= R/4. The result is left in x as unsigned
 * residues. */
void isopod_multiply_add(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                         uint32_t count, const isopod_word_prime *prime);

/* isopod_multiply_add with a = the next `count` residues of the mask, a multiple of 32. */
void isopod_multiply_add_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                              uint32_t count);

/* Reduces in place to |x| < 3q/4. */
void isopod_reduce_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime);

/* Brings |x| < R/2 in place to Montgomery form, canonical. */
void isopod_to_montgomery_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime);

/* Reduces in place to canonical residues. */
void isopod_canonical_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime);

/* The kernels of a backend that decides at run time; 0 where it leaves the call to portable
 * code. */
uint32_t isopod_native_multiply_add(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                                    uint32_t count, const isopod_word_prime *prime);
uint32_t isopod_native_multiply_add_mask(isopod_word *x, isopod_mask *mask,
                                         const isopod_residue *key, uint32_t count);
uint32_t isopod_native_reduce_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime);
uint32_t isopod_native_canonical_all(isopod_word *x, uint32_t count,
                                     const isopod_word_prime *prime);
uint32_t isopod_native_to_montgomery_all(isopod_word *x, uint32_t count,
                                         const isopod_word_prime *prime);

#endif
