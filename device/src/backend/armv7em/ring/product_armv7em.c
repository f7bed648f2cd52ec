/* Transform, product and packing: for primes of up to 27 bits the last pass of the transform is
 * part of the product (product27.S). */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em) && !ISOPOD_HAS(HELIUM)

#include "../../../ring/product.h"

#include "../../../base/memory.h"
#include "../../../ring/montgomery.h"
#include "../../../ring/pointwise.h"
#include "ntt_pass.h"
#include "../wire/packing_group.h"
#include "polynomial_passes.h"
#include "product_group.h"

/* Runs all passes before the product; for primes above 27 bits the last one as well. */
static isopod_product_group start(int32_t *x, const isopod_product *product) {
    const isopod_ntt *ntt = product->ntt;
    isopod_polynomial_passes(x, product->polynomial, ntt);
    isopod_ntt_pass pass = isopod_ntt_pass_at(x, ntt, ntt->length * ntt->chunks / 4);
    if (!isopod_ntt_has_prime27(ntt)) {
        isopod_ntt_last(x, ntt);
    }
    isopod_product_group group = {
        pass.first,   pass.second,           product->key,
        pass.modulus, pass.negative_inverse, isopod_montgomery_one(ntt->prime)};
    return group;
}

/* 32 residues of the product, packed. */
static void group_product(uint32_t *out, int32_t *x, const uint32_t *a, isopod_product_group *group,
                          const isopod_ntt *ntt) {
    if (isopod_ntt_has_prime27(ntt) && ntt->coarse != NULL) {
        isopod_product_lean(x, a, group, ntt);
    } else if (isopod_ntt_has_prime27(ntt)) {
        isopod_product27(x, a, group);
    } else {
        isopod_multiply_add(x, (const int32_t *)a, group->key, ISOPOD_MASK_GROUP, ntt->prime);
    }
    isopod_pack_group(out, (const uint32_t *)x, ntt->prime->bits);
    group->first += ISOPOD_MASK_GROUP / 4;
    group->second += ISOPOD_MASK_GROUP / 2;
    group->key += ISOPOD_MASK_GROUP;
}

static __attribute__((noinline)) void products_with_mask(int32_t *x, const isopod_ntt *ntt,
                                                         isopod_product_group *group,
                                                         isopod_mask *mask) {
    uint32_t *out = (uint32_t *)x;
    uint32_t a[ISOPOD_MASK_GROUP];
    for (uint32_t i = 0; i < ntt->length; i += ISOPOD_MASK_GROUP, out += ntt->prime->bits) {
        isopod_mask_group(mask, a);
        group_product(out, x + i, a, group, ntt);
    }
}

uint32_t isopod_product_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    const isopod_ntt *ntt = product->ntt;
    isopod_product_group group = start(x, product);
    products_with_mask(x, ntt, &group, mask);
    return ntt->length / 8 * ntt->prime->bits;
}

uint32_t isopod_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    const isopod_ntt *ntt = product->ntt;
    isopod_product_group group = start(x, product);
    uint32_t *out = (uint32_t *)x;
    for (uint32_t i = 0; i < ntt->length; i += ISOPOD_MASK_GROUP, out += ntt->prime->bits) {
        group_product(out, x + i, (const uint32_t *)a + i, &group, ntt);
    }
    return ntt->length / 8 * ntt->prime->bits;
}

#endif
