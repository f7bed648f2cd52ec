/* Transform, product and packing of one chunk, in portable C: the functions of polynomial.h,
 * pointwise.h and packing.h in turn. */
#include "product.h"

#include "packing.h"
#include "pointwise.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(PRODUCT)
uint32_t isopod_product_with_mask(isopod_word *x, const isopod_product *product,
                                  isopod_mask *mask) {
#if ISOPOD_TAKES(PRODUCT)
    const uint32_t bytes = isopod_native_product_with_mask(x, product, mask);
    if (bytes != 0) {
        return bytes;
    }
#endif
    const isopod_ntt *ntt = product->ntt;
    isopod_polynomial_ntt(x, product->polynomial, ntt);
    isopod_multiply_add_mask(x, mask, product->key, ntt->length);
    return isopod_pack_in_place((isopod_residue *)x, ntt->length, ntt->prime->bits);
}

uint32_t isopod_product_with(isopod_word *x, const isopod_product *product, const isopod_word *a) {
#if ISOPOD_TAKES(PRODUCT)
    const uint32_t bytes = isopod_native_product_with(x, product, a);
    if (bytes != 0) {
        return bytes;
    }
#endif
    const isopod_ntt *ntt = product->ntt;
    isopod_polynomial_ntt(x, product->polynomial, ntt);
    isopod_multiply_add(x, a, product->key, ntt->length, ntt->prime);
    return isopod_pack_in_place((isopod_residue *)x, ntt->length, ntt->prime->bits);
}
#endif
