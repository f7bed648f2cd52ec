/* The heart of encryption: transform, product, canonical residues and bit packing of one chunk, in
 * one call, so that a backend can run them into one another. */
#ifndef ISOPOD_PRODUCT_H
#define ISOPOD_PRODUCT_H

#include "polynomial.h"
#include "../random/suite_block.h"

/* NTT(polynomial) + a * key, one chunk of it. key: canonical residues in Montgomery form,
 * ntt->length of them. */
typedef struct {
    const isopod_polynomial *polynomial;
    const isopod_ntt *ntt;
    const isopod_residue *key;
} isopod_product;

/* Leaves the packed canonical residues at x (ntt->length words of room); returns their bytes. a =
 * the mask, which moves on. */
uint32_t isopod_product_with_mask(isopod_word *x, const isopod_product *product, isopod_mask *mask);

/* The same with ntt->length known factors |a| < q. */
uint32_t isopod_product_with(isopod_word *x, const isopod_product *product, const isopod_word *a);

/* The same by a backend, or 0. */
uint32_t isopod_native_product_with_mask(isopod_word *x, const isopod_product *product,
                                         isopod_mask *mask);
uint32_t isopod_native_product_with(isopod_word *x, const isopod_product *product,
                                    const isopod_word *a);

#endif
