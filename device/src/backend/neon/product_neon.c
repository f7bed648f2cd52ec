/* Transform, product and packing of one chunk (ring/product.h) for NEON: for primes of up to 27
 * bits the last two layers are computed with the product. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../ring/product.h"

#include "../../ring/packing.h"
#include "../../ring/pointwise.h"
#include "layers.h"
#include "mask_group.h"
#include "product_lanes.h"

/* Computes, for primes of up to 27 bits, the last two layers of 16 neighbours and their
 * products. */
static void finish(int32_t *x, const isopod_product *product, const int32_t *a, uint32_t first,
                   uint32_t count) {
    const isopod_lanes lanes = isopod_lanes_of(product->ntt->prime);
    const uint32_t *key = product->key + first;
    uint32_t at = isopod_last_blocks(product->ntt) + first / 4;
    x += first;
    for (const int32_t *end = x + count; x != end; x += 16, a += 16, key += 16, at += 4) {
        int32x4_t four[4];
        isopod_last_butterfly(four, x, product->ntt, at, &lanes, ISOPOD_AS_IS);
        const int32x4x4_t interleaved = {{four[0], four[1], four[2], four[3]}};
        int32_t values[16];
        vst4q_s32(values, interleaved);
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 16; i += 4) {
            vst1q_s32(x + i, isopod_sum(vld1q_s32(values + i), vld1q_s32(a + i), key + i, &lanes));
        }
    }
}

/* Residues of the mask that are expanded together. */
#define BATCH 256u

static void fill_mask(isopod_mask *mask, uint32_t out[BATCH], uint32_t count) {
    if (mask->suite->seal == NULL) {
        isopod_neon_mask(mask, out, count);
        return;
    }
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, out + i);
    }
}

static void finish_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    uint32_t a[BATCH], step = product->ntt->length < BATCH ? product->ntt->length : BATCH;
    for (uint32_t first = 0; first < product->ntt->length; first += step) {
        fill_mask(mask, a, step);
        finish(x, product, (const int32_t *)a, first, step);
    }
}

uint32_t isopod_product_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    const isopod_ntt *ntt = product->ntt;
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        isopod_neon_head(x, product->polynomial, ntt);
        finish_with_mask(x, product, mask);
    } else {
        isopod_polynomial_ntt(x, product->polynomial, ntt);
        isopod_multiply_add_mask(x, mask, product->key, ntt->length);
    }
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}

uint32_t isopod_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    const isopod_ntt *ntt = product->ntt;
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        isopod_neon_head(x, product->polynomial, ntt);
        finish(x, product, a, 0, ntt->length);
    } else {
        isopod_polynomial_ntt(x, product->polynomial, ntt);
        isopod_multiply_add(x, a, product->key, ntt->length, ntt->prime);
    }
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}

#endif
