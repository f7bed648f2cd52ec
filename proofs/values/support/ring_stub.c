/* The demands of transforms, products and packing (ring/) on their callers; ring.c analyses these.
 * Loads are called. */
#include "arbitrary.h"
#include "ring/inverse_ntt.h"
#include "ring/packing.h"
#include "ring/pointwise.h"
#include "ring/polynomial.h"
#include "ring/product.h"
#include "ring/unpack.h"

/*@ requires \valid_read(ntt) && \valid_read(ntt->prime) && ntt->coarse == \null;
    requires \valid(out + (0 .. ntt->length - 1));
    requires \valid_read(ntt->twiddles + (0 .. ntt->length * ntt->chunks - 1));
    requires \valid_read(polynomial) && polynomial->n == ntt->length * ntt->chunks; */
void isopod_polynomial_fold(isopod_word *out, const isopod_polynomial *polynomial,
                            const isopod_ntt *ntt) {
    isopod_word part[ISOPOD_FOLD_BLOCK];
    for (uint32_t first = 0; first < polynomial->n; first += ISOPOD_FOLD_BLOCK) {
        polynomial->load(polynomial, first, part);
    }
    arbitrary(out, ntt->length * sizeof *out);
}

/*@ requires \valid_read(ntt) && ntt->coarse == \null;
    requires \valid(x + (0 .. ntt->length - 1)) && \initialized(x + (0 .. ntt->length - 1));
    requires \valid_read(ntt->twiddles + (0 .. ntt->length * ntt->chunks - 1)); */
void isopod_ntt_layers(isopod_word *x, const isopod_ntt *ntt) {
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = SIGNED(-2 * (int32_t)ntt->prime->modulus, 2 * (int32_t)ntt->prime->modulus);
    }
}

/*@ requires \valid_read(ntt) && ntt->coarse == \null && ntt->chunks == 1;
    requires \valid(x + (0 .. ntt->length - 1)) && \initialized(x + (0 .. ntt->length - 1));
    requires \valid_read(ntt->twiddles + (0 .. ntt->length - 1)); */
void isopod_inverse_ntt(isopod_word *x, const isopod_ntt *ntt, isopod_word factor) {
    int32_t q = (int32_t)ntt->prime->modulus;
    for (uint32_t i = 0; i < ntt->length; i++) {
        x[i] = SIGNED(1 - q, q - 1);
    }
}

static void canonical(isopod_word *x, uint32_t count, const isopod_prime *prime) {
    for (uint32_t i = 0; i < count; i++) {
        x[i] = (isopod_word)BETWEEN(0, prime->modulus - 1u);
    }
}

/*@ requires count >= 1 && \valid(x + (0 .. count - 1)) && \initialized(x + (0 .. count - 1));
    requires \valid_read(a + (0 .. count - 1)) && \initialized(a + (0 .. count - 1));
    requires \valid_read(key + (0 .. count - 1)) && \initialized(key + (0 .. count - 1)) &&
        \valid_read(shared); */
void isopod_multiply_add(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                         uint32_t count, const isopod_word_prime *shared) {
    canonical(x, count, shared);
}

/*@ requires count >= 1 && count % 32 == 0 && \valid(x + (0 .. count - 1)) &&
        \initialized(x + (0 .. count - 1));
    requires \valid(mask) && \valid_read(mask->at.prime);
    requires \valid_read(key + (0 .. count - 1)) && \initialized(key + (0 .. count - 1)); */
void isopod_multiply_add_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                              uint32_t count) {
    canonical(x, count, mask->at.prime);
}

/*@ requires count >= 1 && \valid(x + (0 .. count - 1)) &&
        \initialized(x + (0 .. count - 1)) && \valid_read(prime); */
void isopod_reduce_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime) {
    int32_t most = (int32_t)(prime->modulus / 4u * 3u + 3u);
    for (uint32_t i = 0; i < count; i++) {
        x[i] = SIGNED(-most, most);
    }
}

/*@ requires count >= 1 && \valid(x + (0 .. count - 1)) &&
        \initialized(x + (0 .. count - 1)) && \valid_read(prime); */
void isopod_canonical_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime) {
    canonical(x, count, prime);
}

/*@ requires count >= 1 && \valid(x + (0 .. count - 1)) &&
        \initialized(x + (0 .. count - 1)) && \valid_read(prime); */
void isopod_to_montgomery_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime) {
    canonical(x, count, prime);
}

/*@ requires 1 <= bits <= 31 && count >= 1 && \valid(residues + (0 .. count - 1)) &&
        \initialized(residues + (0 .. count - 1)); */
uint32_t isopod_pack_in_place(isopod_residue *residues, uint32_t count, uint32_t bits) {
    arbitrary(residues, (size_t)4 * count);
    return count / 32u * bits * 4u;
}

/*@ requires \valid_read(product) && \valid_read(product->ntt) &&
        \valid(x + (0 .. product->ntt->length - 1));
    requires \valid_read(product->key + (0 .. product->ntt->length - 1));
    requires \initialized(product->key + (0 .. product->ntt->length - 1));
    requires \valid(mask) && \valid_read(mask->at.prime); */
uint32_t isopod_product_with_mask(isopod_word *x, const isopod_product *product,
                                  isopod_mask *mask) {
    isopod_polynomial_ntt(x, product->polynomial, product->ntt);
    return isopod_pack_in_place((isopod_residue *)x, product->ntt->length,
                                product->ntt->prime->bits);
}

/*@ requires \valid_read(product) && \valid_read(product->ntt) &&
        \valid(x + (0 .. product->ntt->length - 1));
    requires \valid_read(product->key + (0 .. product->ntt->length - 1));
    requires \initialized(product->key + (0 .. product->ntt->length - 1));
    requires \valid_read(a + (0 .. product->ntt->length - 1)) &&
        \initialized(a + (0 .. product->ntt->length - 1)); */
uint32_t isopod_product_with(isopod_word *x, const isopod_product *product, const isopod_word *a) {
    isopod_polynomial_ntt(x, product->polynomial, product->ntt);
    return isopod_pack_in_place((isopod_residue *)x, product->ntt->length,
                                product->ntt->prime->bits);
}

/*@ requires count % 32 == 0 && count >= 32 && \valid(x + (0 .. count - 1)) &&
        \valid_read(prime);
    requires \valid_read(packed + (0 .. count / 32 * 4 * prime->bits - 1)); */
uint32_t isopod_unpack(isopod_word *x, const uint8_t *packed, uint32_t count,
                       const isopod_word_prime *prime) {
    arbitrary(x, (size_t)4 * count);
    return ANY32;
}

/*@ requires count % 32 == 0 && count >= 32 && \valid(x + (0 .. count - 1)) &&
        \initialized(x + (0 .. count - 1));
    requires \valid_read(shared) &&
        \valid_read(packed + (0 .. count / 32 * 4 * shared->bits - 1));
    requires \valid_read(key + (0 .. count - 1)) && \initialized(key + (0 .. count - 1)); */
uint32_t isopod_unpack_multiply(isopod_word *x, const uint8_t *packed, const isopod_residue *key,
                                uint32_t count, const isopod_word_prime *shared) {
    arbitrary(x, (size_t)4 * count);
    return ANY32;
}
