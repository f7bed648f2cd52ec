/* Products and reductions in the NTT domain (ring/pointwise.h) modulo a 64-bit prime, by words64.S.
 * In 0 <= x < 2^63, as ntt64_armv7em.c leaves them, and 0 <= a < q, as isopod_reduce_all and masks
 * are. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/pointwise.h"

#include "../../../ring/montgomery.h"
#include "words64.h"

static isopod64_words words_of(const int64_t *end, int64_t factor, const uint64_t *key,
                               const isopod_prime64 *prime) {
    isopod64_words words = {isopod_canonical(factor, prime),
                            prime->modulus,
                            0u - (uint32_t)prime->inverse,
                            end,
                            key,
                            0};
    return words;
}

void isopod_multiply_add(int64_t *x, const int64_t *a, const uint64_t *key, uint32_t count,
                         const isopod_prime64 *prime) {
    isopod64_words with = words_of(x + count, isopod_montgomery_one(prime), key, prime);
    isopod64_multiply_words(x, a, &with);
}

void isopod_multiply_add_mask(int64_t *x, isopod_mask *mask, const uint64_t *key, uint32_t count) {
    uint64_t group[ISOPOD_MASK_GROUP];
    const isopod_prime64 *prime = mask->at.prime;
    isopod64_words with = words_of(NULL, isopod_montgomery_one(prime), key, prime);
    for (const int64_t *end = x + count; x != end; x += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, group);
        with.end = x + ISOPOD_MASK_GROUP;
        isopod64_multiply_words(x, (const int64_t *)group, &with);
        with.key += ISOPOD_MASK_GROUP;
    }
}

void isopod_canonical_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    isopod64_words with = words_of(x + count, isopod_montgomery_one(prime), NULL, prime);
    isopod64_scale_words(x, &with);
}

void isopod_reduce_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    isopod_canonical_all(x, count, prime);
}

void isopod_to_montgomery_all(int64_t *x, uint32_t count, const isopod_prime64 *prime) {
    isopod64_words with = words_of(x + count, (int64_t)prime->montgomery_square, NULL, prime);
    isopod64_scale_words(x, &with);
}

#endif
