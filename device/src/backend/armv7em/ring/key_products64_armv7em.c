/* The products of key generation (keys/key_products.h) modulo a 64-bit prime, by words64.S. In 0 <=
 * b < 2^63, as ntt64_armv7em.c leaves it: a*b < q * 2^63, so that the products of words64.h are
 * canonical. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../keys/key_products.h"

#include "words64.h"

void isopod_key_products(int64_t *a, int64_t *b, uint32_t count, const isopod_prime64 *prime) {
    isopod64_words with = {0,         prime->modulus,      0u - (uint32_t)prime->inverse,
                           b + count, (const uint64_t *)b, 0};
    isopod64_multiply_words(b, a, &with);
    with.factor = prime->montgomery_square;
    with.end = a + count;
    isopod64_scale_words(a, &with);
}

#endif
