/* The products of key generation, word by word, in portable C. Bounds are in key_products.h. */
#include "key_products.h"

#include "../ring/montgomery.h"
#include "../ring/pointwise.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(KEY_PRODUCTS)
void isopod_key_products(isopod_word *a, isopod_word *b, uint32_t count,
                         const isopod_word_prime *shared) {
    const isopod_word_prime prime = *shared;
    for (uint32_t i = 0; i < count; i++) {
        isopod_word raised = isopod_montgomery(a[i], (isopod_word)prime.montgomery_square, &prime);
        b[i] = isopod_montgomery(a[i], b[i], &prime);
        a[i] = (isopod_word)isopod_canonical(raised, &prime);
    }
}
#endif

#if ISOPOD_WORD_BITS == 32
/* isopod_redc with a sum instead of a difference: one instruction less on machines that multiply
 * and add in one; |product| < 2^62. */
static inline int32_t reduced(int64_t product, const isopod_prime *prime) {
    int32_t multiple = (int32_t)((uint32_t)product * prime->negative_inverse);
    return (int32_t)((product + (int64_t)multiple * (int32_t)prime->modulus) >> 32);
}

static inline void combine(int32_t *a, int32_t b, const int32_t factors[2],
                           const isopod_prime *prime) {
    int64_t sum = (int64_t)*a * factors[0] + (int64_t)b * factors[1];
    *a = (int32_t)isopod_canonical(reduced(sum, prime), prime);
}

/* a < 2q times a centred factor and |b| <= q times one: before it is canonical,
 * |out| <= q/4 + q/8 + q/2. */
void isopod_key_sums(int32_t *a, const int32_t *b, uint32_t count, const isopod_prime *shared) {
    const isopod_prime prime = *shared;
    const int32_t factors[2] = {isopod_centred((int32_t)prime.montgomery_square, &prime),
                                isopod_montgomery_one(&prime)};
    for (const int32_t *end = a + count; a != end; a += 4, b += 4) {
        combine(a, b[0], factors, &prime);
        combine(a + 1, b[1], factors, &prime);
        combine(a + 2, b[2], factors, &prime);
        combine(a + 3, b[3], factors, &prime);
    }
}
#else
/* Adds -q <= b <= q to the canonical product. */
void isopod_key_sums(int64_t *a, const int64_t *b, uint32_t count, const isopod_prime64 *prime) {
    isopod_to_montgomery_all(a, count, prime);
    for (uint32_t i = 0; i < count; i++) {
        int64_t sum = (int64_t)isopod_canonical(a[i] + b[i], prime);
        a[i] = (int64_t)isopod_canonical(sum - (int64_t)prime->modulus, prime);
    }
}
#endif
