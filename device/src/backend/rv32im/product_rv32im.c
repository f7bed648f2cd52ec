/* Transform, product and packing of one chunk (ring/product.h) for RV32IM: for primes of up to 27
 * bits the last two layers, the product, and at 26 bits the packing, run in registers. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../ring/product.h"

#include <stddef.h>

#include "../../ring/packing.h"
#include "../../ring/pointwise.h"
#include "butterfly.h"
#include "layers.h"

/* 16 residues of 26 bits are 13 words. */
#define UNIT 16u
#define UNIT_BITS 26u
#define UNIT_WORDS 13u

/* Values whose candidates are taken from the stream together. */
#define BATCH 128u

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

/* The position of a run of the last two layers. */
typedef struct {
    const int32_t *x;
    const uint32_t *a; /* factors, or where they lie packed */
    const uint32_t *key;
    const int32_t *first_roots;
    const int32_t *second_roots;
} cursor;

/* The last two layers of four neighbours. */
ISOPOD_INLINE void last_layers(int32_t four[4], const cursor *at, uint32_t i,
                               const isopod_prime *prime) {
    const isopod_roots roots = {{isopod_root_of(at->first_roots[i / 4], prime),
                                 isopod_root_of(at->second_roots[i / 2], prime),
                                 isopod_root_of(at->second_roots[i / 2 + 1], prime)}};
    four[0] = at->x[i], four[1] = at->x[i + 1], four[2] = at->x[i + 2], four[3] = at->x[i + 3];
    isopod_butterfly(four, &roots, prime, ISOPOD_AS_IS);
}

/* Computes the last two layers and their products: canonical residues. */
ISOPOD_INLINE void finish(uint32_t out[4], const cursor *at, const isopod_prime *prime) {
    int32_t four[4];
    last_layers(four, at, 0, prime);
#pragma GCC unroll 4
    for (uint32_t j = 0; j < 4; j++) {
        out[j] = sum(four[j], (int32_t)at->a[j], (int32_t)at->key[j], prime);
    }
}

ISOPOD_INLINE void advance(cursor *at, uint32_t count) {
    at->x += count, at->a += count, at->key += count;
    at->first_roots += count / 4, at->second_roots += count / 2;
}

static cursor start_of(const int32_t *x, const isopod_product *product) {
    const isopod_ntt *ntt = product->ntt;
    uint32_t root = ntt->length / 4 * (ntt->chunks + (uint32_t)ntt->chunk);
    const cursor at = {x, NULL, product->key, ntt->twiddles + root,
                       ntt->twiddles + (size_t)2 * root};
    return at;
}

/* The fields of a run of packed words, in order. */
typedef struct {
    const uint32_t *next;
    uint32_t word;
} field_reader;

ISOPOD_INLINE uint32_t read_field(field_reader *from, uint32_t i, uint32_t bits) {
    const uint32_t shift = i * bits % 32u;
    if (shift == 0) {
        from->word = *from->next++;
    }
    uint32_t field = from->word >> shift;
    if (shift + bits > 32u) {
        from->word = *from->next++;
        field |= from->word << (32u - shift);
    }
    return field & ((1u << bits) - 1u);
}

typedef struct {
    uint32_t *next;
    uint32_t word;
} field_writer;

ISOPOD_INLINE void write_field(field_writer *to, uint32_t i, uint32_t bits, uint32_t value) {
    const uint32_t shift = i * bits % 32u;
    to->word = shift == 0 ? value : to->word | value << shift;
    if (shift + bits >= 32u) {
        *to->next++ = to->word;
        to->word = shift + bits == 32u ? 0 : value >> (32u - shift);
    }
}

/* 16 residues of 26 bits from 13 words of candidates; not zero if a candidate was too large. Output
 * may overlap input that was read. */
ISOPOD_INLINE uint32_t finish_unit(uint32_t *out, const cursor *at, const isopod_prime *prime) {
    field_reader from = {at->a, 0};
    field_writer to = {out, 0};
    uint32_t over = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < UNIT; i += 4) {
        int32_t four[4];
        last_layers(four, at, i, prime);
#pragma GCC unroll 4
        for (uint32_t j = 0; j < 4; j++) {
            const uint32_t field = read_field(&from, i + j, UNIT_BITS);
            if (__builtin_expect(field >= prime->modulus, 0)) {
                over = isopod_ct_barrier(1);
            }
            write_field(&to, i + j, UNIT_BITS,
                        sum(four[j], (int32_t)field, (int32_t)at->key[i + j], prime));
        }
    }
    return over;
}

static uint32_t field_at(const uint32_t *words, uint32_t i) {
    const uint32_t at = i * UNIT_BITS, shift = at % 32u;
    const uint32_t high = shift == 0 ? 0 : words[at / 32u + 1] << (32u - shift);
    return (words[at / 32u] >> shift | high) & ((1u << UNIT_BITS) - 1u);
}

static void exchange_field(uint32_t *words, uint32_t i, uint32_t change) {
    const uint32_t at = i * UNIT_BITS, shift = at % 32u;
    words[at / 32u] ^= change << shift;
    if (shift + UNIT_BITS > 32u) {
        words[at / 32u + 1] ^= change >> (32u - shift);
    }
}

/* Replaces candidates that were too large after the product: the residue changes by the difference
 * times the key. */
__attribute__((noinline)) static void replace_candidates(uint32_t *out, const cursor *at,
                                                         isopod_mask *mask) {
    const isopod_prime *prime = mask->at.prime;
    for (uint32_t i = 0; i < UNIT; i++) {
        uint32_t candidate = field_at(at->a, i);
        if (candidate >= prime->modulus) {
            uint32_t residue = field_at(out, i);
            int32_t difference = (int32_t)(isopod_mask_refill(mask) - candidate);
            uint32_t right = sum((int32_t)residue, difference, (int32_t)at->key[i], prime);
            exchange_field(out, i, residue ^ right);
        }
    }
}

static uint32_t *finish_units(uint32_t *out, cursor *at, uint32_t count, isopod_mask *mask) {
    const isopod_prime prime = *mask->at.prime;
    for (const int32_t *end = at->x + count; at->x != end; advance(at, UNIT), out += UNIT_WORDS) {
        if (finish_unit(out, at, &prime) != 0) {
            replace_candidates(out, at, mask);
        }
        at->a -= UNIT - UNIT_WORDS;
    }
    return out;
}

/* Not inlined: the transform before it needs the stack for itself. */
__attribute__((noinline)) static uint32_t finish_26(int32_t *x, const isopod_product *product,
                                                    isopod_mask *mask) {
    uint32_t candidates[BATCH / UNIT * UNIT_WORDS], *out = (uint32_t *)x;
    cursor at = start_of(x, product);
    for (const int32_t *end = x + product->ntt->length; at.x != end;) {
        isopod_stream_words(&mask->source.streams.candidates, candidates,
                            BATCH / UNIT * UNIT_WORDS);
        at.a = candidates;
        out = finish_units(out, &at, BATCH, mask);
    }
    return (uint32_t)(out - (uint32_t *)x) * 4u;
}

/* Leaves the canonical residues of `count` values. */
static void finish_in_place(int32_t *x, cursor *at, uint32_t count, const isopod_prime *shared) {
    const isopod_prime prime = *shared;
    for (const int32_t *end = x + count; x != end; x += 4, advance(at, 4)) {
        finish((uint32_t *)x, at, &prime);
    }
}

static void finish_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    uint32_t fields[ISOPOD_MASK_GROUP];
    cursor at = start_of(x, product);
    for (uint32_t first = 0; first < product->ntt->length; first += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, fields);
        at.a = fields;
        finish_in_place(x + first, &at, ISOPOD_MASK_GROUP, product->ntt->prime);
    }
}

static uint32_t product27_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    const isopod_ntt *ntt = product->ntt;
    isopod_rv32im_head(x, product->polynomial, ntt);
    if (ntt->prime->bits == UNIT_BITS && mask->suite->seal == NULL) {
        return finish_26(x, product, mask);
    }
    finish_with_mask(x, product, mask);
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}

uint32_t isopod_product_with_mask(int32_t *x, const isopod_product *product, isopod_mask *mask) {
    const isopod_ntt *ntt = product->ntt;
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        return product27_with_mask(x, product, mask);
    }
    isopod_polynomial_ntt(x, product->polynomial, ntt);
    isopod_multiply_add_mask(x, mask, product->key, ntt->length);
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}

uint32_t isopod_product_with(int32_t *x, const isopod_product *product, const int32_t *a) {
    const isopod_ntt *ntt = product->ntt;
    if (ntt->prime->modulus <= ISOPOD_PRIME27_MODULUS) {
        cursor at = start_of(x, product);
        isopod_rv32im_head(x, product->polynomial, ntt);
        at.a = (const uint32_t *)a;
        finish_in_place(x, &at, ntt->length, ntt->prime);
    } else {
        isopod_polynomial_ntt(x, product->polynomial, ntt);
        isopod_multiply_add(x, a, product->key, ntt->length, ntt->prime);
    }
    return isopod_pack_in_place((uint32_t *)x, ntt->length, ntt->prime->bits);
}

#endif
