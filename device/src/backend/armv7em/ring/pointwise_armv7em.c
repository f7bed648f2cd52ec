/* Products and reductions in the NTT domain (ring/pointwise.h, with the bounds) modulo a 32-bit
 * prime, in assembly (reduce_words.S). */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/pointwise.h"

#include "../../../ring/montgomery.h"
#include "../wire/multiply_words.h"

void isopod_multiply_add(int32_t *x, const int32_t *a, const uint32_t *key, uint32_t count,
                         const isopod_prime *prime) {
    isopod_multiply_words with = {key, x + count, prime->modulus, prime->negative_inverse,
                                  isopod_montgomery_one(prime)};
    isopod_multiply_add_words(x, a, &with);
}

void isopod_multiply_add_mask(int32_t *x, isopod_mask *mask, const uint32_t *key, uint32_t count) {
    uint32_t group[ISOPOD_MASK_GROUP];
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, group);
        isopod_multiply_add(x + i, (const int32_t *)group, key + i, ISOPOD_MASK_GROUP,
                            mask->at.prime);
    }
}

void isopod_reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    isopod_reduce_words(x, x + count, prime);
}

void isopod_canonical_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    for (uint32_t i = 0; i < count; i++) {
        x[i] = (int32_t)isopod_canonical(isopod_reduce(x[i], prime), prime);
    }
}

/* |redc| < q/2 + q/2 for |x| < 2^31 and a square below q < 2^30. */
void isopod_to_montgomery_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    for (uint32_t i = 0; i < count; i++) {
        int32_t value = isopod_montgomery(x[i], (int32_t)prime->montgomery_square, prime);
        x[i] = (int32_t)isopod_canonical(value, prime);
    }
}

#endif
