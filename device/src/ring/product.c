#include "product.h"

#include "packing.h"
#include "pointwise.h"

uint32_t isopod_product_with_mask(isopod_limb *x, const isopod_product *product,
                                  isopod_mask *mask) {
    const isopod_ntt *ntt = product->ntt;
    isopod_polynomial_ntt(x, product->polynomial, ntt);
    isopod_multiply_add_mask(x, mask, product->key, ntt->length);
    return isopod_pack_in_place((isopod_residue *)x, ntt->length, ntt->prime->bits);
}

uint32_t isopod_product_with(isopod_limb *x, const isopod_product *product, const isopod_limb *a) {
    const isopod_ntt *ntt = product->ntt;
    isopod_polynomial_ntt(x, product->polynomial, ntt);
    isopod_multiply_add(x, a, product->key, ntt->length, ntt->prime);
    return isopod_pack_in_place((isopod_residue *)x, ntt->length, ntt->prime->bits);
}
