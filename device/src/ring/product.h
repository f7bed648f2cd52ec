/* Transform, product, canonical residues and bit packing of one chunk of a ciphertext
 * (spec/ckks.md, section 6), in one call, so that a backend can interleave them. */
#ifndef ISOPOD_PRODUCT_H
#define ISOPOD_PRODUCT_H

#include "polynomial.h"
#include "../random/suite_block.h"

/* One chunk of NTT(polynomial) + a * key. key: canonical residues in Montgomery form, ntt->length
 * of them. */
typedef struct {
    const isopod_polynomial *polynomial;
    const isopod_ntt *ntt;
    const isopod_residue *key;
} isopod_product;

/* Leaves the packed canonical residues at x, which has room for ntt->length words, and returns
 * their number of bytes. a is the mask, which advances. */
uint32_t isopod_product_with_mask(isopod_word *x, const isopod_product *product, isopod_mask *mask);

/* isopod_product_with_mask with ntt->length given factors |a| < q. */
uint32_t isopod_product_with(isopod_word *x, const isopod_product *product, const isopod_word *a);

/* The kernels of a backend that decides at run time; 0 where it leaves the call to portable
 * code. */
uint32_t isopod_native_product_with_mask(isopod_word *x, const isopod_product *product,
                                         isopod_mask *mask);
uint32_t isopod_native_product_with(isopod_word *x, const isopod_product *product,
                                    const isopod_word *a);

#endif
