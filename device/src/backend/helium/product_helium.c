/* Transform, product and packing (ring/product.h) for Helium, 64 residues at a time. These take
 * almost all words of four blocks of ChaCha20: all but two or six in sixteen. */
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

/* Field i of sixteen in each lane: its low bits complete a word, the others begin the next. */
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

/* The rest of a product. */
typedef struct {
    const int32_t *x;
    const uint32_t *key;
    isopod_product_lanes by;
    uint32_t *out;
    uint32_t bits;
} state;

static state start(int32_t *x, const isopod_product *product) {
    const isopod_prime *prime = product->ntt->prime;
    isopod_polynomial_passes(x, product->polynomial, product->ntt);
    isopod_ntt_last(x, product->ntt);
    state at = {
        x,
        product->key,
        {isopod_lanes_of(prime->modulus, prime->negative_inverse), isopod_montgomery_one(prime)},
        (uint32_t *)x,
        prime->bits};
    return at;
}

/* The next 64 residues, packed. */
static ISOPOD_NOINLINE void batch(state *at, const uint32_t a[BATCH]) {
    const isopod_factors factors = {at->x, (const int32_t *)a, at->key};
    uint32_t residues[BATCH];
    isopod_products((int32_t *)residues, &factors, BATCH, &at->by);
    pack(at->out, residues, at->bits);
    at->out += BATCH / 32 * at->bits;
    at->x += BATCH;
    at->key += BATCH;
}

static ISOPOD_NOINLINE void products_with_mask(state *at, uint32_t length, isopod_mask *mask) {
    uint32_t a[BATCH];
    isopod_mask_words words;
    isopod_mask_words_start(&words, mask, length);
    for (uint32_t first = 0; first < length; first += BATCH) {
        isopod_mask_batch(mask, &words, a);
        batch(at, a);
    }
}

uint32_t isopod_product_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    state at = start(x, product);
    products_with_mask(&at, product->ntt->length, mask);
    return product->ntt->length / 8 * at.bits;
}

uint32_t isopod_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    state at = start(x, product);
    for (uint32_t first = 0; first < product->ntt->length; first += BATCH) {
        batch(&at, (const uint32_t *)a + first);
    }
    return product->ntt->length / 8 * at.bits;
}

#endif
