#include "../../product.h"

#include "../../packing.h"
#include "../../pointwise.h"
#include "butterfly.h"
#include "layers.h"
#include "mask_group.h"

/* Groups of 32 whose candidates are taken together: fewer and longer runs of the stream. */
#define GROUPS 2u
#define BATCH (GROUPS * ISOPOD_MASK_GROUP)

/* x + a*key, canonical. |a*key| redc < 3q/4, |x| <= 12.5 q: the sum and q/2 stay below 2^31 for
 * q <= 2^27. The quotient of a sum s is off by at most 1/2 + |s| / 2^33 < 3/4. */
static inline uint32_t sum(int32_t x, int32_t a, int32_t key, const isopod_prime *prime) {
    const int32_t q = (int32_t)prime->modulus;
    const uint32_t low = (uint32_t)a * (uint32_t)key;
    const int32_t multiple = (int32_t)(low * isopod_inverse(prime));
    x += isopod_high(a, key) - isopod_high(multiple, q);
    x -= isopod_high(x + (q >> 1), (int32_t)prime->barrett) * q;
    return isopod_canonical(x, prime);
}

/* The last two layers of 32 neighbours, and their products: canonical residues. */
static void finish(int32_t *x, const int32_t *a, const uint32_t *key, const isopod_ntt *ntt,
                   uint32_t at) {
    const isopod_prime prime = *ntt->prime;
    for (const int32_t *end = x + ISOPOD_MASK_GROUP; x != end; x += 4, a += 4, key += 4, at++) {
        const isopod_roots roots = isopod_roots_at(ntt->twiddles, at, &prime);
        int32_t four[4] = {x[0], x[1], x[2], x[3]};
        isopod_butterfly(four, &roots, &prime, ISOPOD_AS_IS);
        x[0] = (int32_t)sum(four[0], a[0], (int32_t)key[0], &prime);
        x[1] = (int32_t)sum(four[1], a[1], (int32_t)key[1], &prime);
        x[2] = (int32_t)sum(four[2], a[2], (int32_t)key[2], &prime);
        x[3] = (int32_t)sum(four[3], a[3], (int32_t)key[3], &prime);
    }
}

static void finish_all(int32_t *x, const int32_t *a, const isopod_product *product, uint32_t first,
                       uint32_t count) {
    const isopod_ntt *ntt = product->ntt;
    uint32_t at = ntt->length / 4 * (ntt->chunks + (uint32_t)ntt->chunk) + first / 4;
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP, at += ISOPOD_MASK_GROUP / 4) {
        finish(x + first + i, a + i, product->key + first + i, ntt, at);
    }
}

/* The candidates lie at the end of the fields and are unpacked in place: field i of a batch is
 * written when the words up to i + 1 + (BATCH - i) * (32 - bits) / 32 >= i were read. */
static void fill_fields(isopod_mask *mask, uint32_t fields[BATCH]) {
    uint32_t bits = mask->at.prime->bits;
    const uint32_t *candidates = fields + GROUPS * (ISOPOD_MASK_GROUP - bits);
    isopod_stream_words(&mask->candidates, (uint32_t *)candidates, GROUPS * bits);
    for (uint32_t g = 0; g < GROUPS; g++) {
        isopod_rv32im_mask_group(mask, fields + g * ISOPOD_MASK_GROUP, candidates + g * bits);
    }
}

static void fill_groups(isopod_mask *mask, uint32_t fields[BATCH]) {
    if (mask->suite->mask_group == isopod_mask_fields_group) {
        fill_fields(mask, fields);
        return;
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        mask->suite->mask_group(mask, fields + g * ISOPOD_MASK_GROUP);
    }
}

/* Not inlined: the transform before it needs the stack for itself. */
__attribute__((noinline)) static void finish_with_mask(int32_t *x, const isopod_product *product,
                                                       isopod_mask *mask) {
    uint32_t fields[BATCH];
    for (uint32_t first = 0; first < product->ntt->length; first += BATCH) {
        fill_groups(mask, fields);
        finish_all(x, (const int32_t *)fields, product, first, BATCH);
    }
}

uint32_t isopod_product_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    const isopod_ntt *ntt = product->ntt;
    if (ntt->prime->modulus <= ISOPOD_NARROW_MODULUS) {
        isopod_rv32im_head(x, product->polynomial, ntt);
        finish_with_mask(x, product, mask);
    } else {
        isopod_polynomial_ntt(x, product->polynomial, ntt);
        isopod_multiply_add_mask(x, mask, product->key, ntt->length);
    }
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}

uint32_t isopod_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    const isopod_ntt *ntt = product->ntt;
    if (ntt->prime->modulus <= ISOPOD_NARROW_MODULUS) {
        isopod_rv32im_head(x, product->polynomial, ntt);
        finish_all(x, a, product, 0, ntt->length);
    } else {
        isopod_polynomial_ntt(x, product->polynomial, ntt);
        isopod_multiply_add(x, a, product->key, ntt->length, ntt->prime);
    }
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}
