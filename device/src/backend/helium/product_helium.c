/* Transform, product and packing (ring/product.h) for Helium, 64 residues at a time: four blocks of
 * ChaCha20 hold as many words as they take, but for two or six in sixteen. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../ring/product.h"

#include "../../ring/montgomery.h"
#include "../armv7em/ring/ntt_pass.h"
#include "../armv7em/ring/polynomial_passes.h"
#include "../armv7em/wire/packing_group.h"
#include "../../base/memory.h"
#include "mask_words.h"
#include "products.h"

#define BATCH ISOPOD_MASK_BATCH

/* Field i of sixteen in each lane: completes a word with its low bits and begins the next one with
 * the others. */
#define FIELD(i, bits)                                                                             \
    do {                                                                                           \
        enum { AT = (i) * (bits) / 32, SHIFT = (i) * (bits) % 32, REST = 32 - SHIFT };             \
        uint32x4_t value = vldrwq_gather_base_u32(from, 4 * (i));                                  \
        word = SHIFT == 0 ? value : vsliq_n_u32(word, value, SHIFT);                               \
        if (REST <= (bits)) {                                                                      \
            vstrwq_scatter_base_u32(to, 4 * AT, word);                                             \
            word = vshrq_n_u32(value, REST);                                                       \
        }                                                                                          \
    } while (0)

#define PACK(bits)                                                                                 \
    static void pack_##bits(uint32_t *out, const uint32_t *residues) {                             \
        const uint32x4_t from = isopod_lanes_from(residues, 64);                                   \
        const uint32x4_t to = isopod_lanes_from(out, 2 * (bits));                                  \
        uint32x4_t word = vdupq_n_u32(0);                                                          \
        FIELD(0, bits);                                                                            \
        FIELD(1, bits);                                                                            \
        FIELD(2, bits);                                                                            \
        FIELD(3, bits);                                                                            \
        FIELD(4, bits);                                                                            \
        FIELD(5, bits);                                                                            \
        FIELD(6, bits);                                                                            \
        FIELD(7, bits);                                                                            \
        FIELD(8, bits);                                                                            \
        FIELD(9, bits);                                                                            \
        FIELD(10, bits);                                                                           \
        FIELD(11, bits);                                                                           \
        FIELD(12, bits);                                                                           \
        FIELD(13, bits);                                                                           \
        FIELD(14, bits);                                                                           \
        FIELD(15, bits);                                                                           \
    }

PACK(26)
PACK(30)

/* Packs 64 residues to out, away from them. */
static void pack(uint32_t *out, const uint32_t residues[BATCH], uint32_t bits) {
    if (bits == 30) {
        pack_30(out, residues);
    } else if (bits == 26) {
        pack_26(out, residues);
    } else {
        isopod_pack_group(out, residues, bits);
        isopod_pack_group(out + bits, residues + BATCH / 2, bits);
    }
}

static void transform(int32_t *x, const isopod_product *product) {
    isopod_polynomial_passes(x, product->polynomial, product->ntt);
    isopod_ntt_last(x, product->ntt);
}

/* Residues `first` to `first` + 63 of the product with a[], packed. */
static inline void batch(uint32_t *out, const int32_t *x, const uint32_t *a,
                         const isopod_product *product, uint32_t first) {
    const isopod_prime *prime = product->ntt->prime;
    const isopod_lanes lanes = isopod_lanes_of(prime->modulus, prime->negative_inverse);
    const isopod_factors factors = {x + first, (const int32_t *)a, product->key + first,
                                    isopod_montgomery_one(prime)};
    uint32_t residues[BATCH];
    isopod_products((int32_t *)residues, &factors, BATCH, &lanes);
    pack(out + first / 32 * prime->bits, residues, prime->bits);
}

static ISOPOD_NOINLINE void products_with_mask(int32_t *x, const isopod_product *product,
                                               isopod_mask *mask) {
    uint32_t a[BATCH], *out = (uint32_t *)x;
    isopod_mask_words words;
    isopod_mask_words_start(&words, mask, product->ntt->length);
    for (uint32_t first = 0; first < product->ntt->length; first += BATCH) {
        isopod_mask_batch(mask, &words, a);
        batch(out, x, a, product, first);
    }
}

uint32_t isopod_product_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    transform(x, product);
    products_with_mask(x, product, mask);
    return product->ntt->length / 8 * product->ntt->prime->bits;
}

uint32_t isopod_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    uint32_t *out = (uint32_t *)x;
    transform(x, product);
    for (uint32_t first = 0; first < product->ntt->length; first += BATCH) {
        batch(out, x, (const uint32_t *)a + first, product, first);
    }
    return product->ntt->length / 8 * product->ntt->prime->bits;
}

#endif
