#include "../../pointwise.h"

#include "../../montgomery.h"

void isopod_multiply_add(int32_t *x, const int32_t *a, const uint32_t *key, uint32_t count,
                         const isopod_prime *shared) {
    const isopod_prime prime = *shared;
    int32_t one = isopod_montgomery_one(&prime);
    for (uint32_t i = 0; i < count; i++) {
        int64_t sum = (int64_t)x[i] * one + (int64_t)a[i] * (int32_t)key[i];
        x[i] = (int32_t)isopod_canonical(isopod_redc(sum, &prime), &prime);
    }
}

void isopod_multiply_add_mask(int32_t *x, isopod_mask *mask, const uint32_t *key, uint32_t count) {
    uint32_t group[ISOPOD_MASK_GROUP];
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        mask->suite->mask_group(mask, group);
        isopod_multiply_add(x + i, (const int32_t *)group, key + i, ISOPOD_MASK_GROUP,
                            mask->at.prime);
    }
}

void isopod_reduce_all(int32_t *x, uint32_t count, const isopod_prime *prime) {
    for (uint32_t i = 0; i < count; i++) {
        x[i] = isopod_reduce(x[i], prime);
    }
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
