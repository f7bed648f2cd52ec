/* Products and reductions in the NTT domain, word by word, in portable C. Bounds are in
 * pointwise.h. */
#include "pointwise.h"

#include "montgomery.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(POINTWISE)
void isopod_multiply_add(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                         uint32_t count, const isopod_word_prime *shared) {
#if ISOPOD_TAKES(MULTIPLY_ADD)
    if (isopod_native_multiply_add(x, a, key, count, shared)) {
        return;
    }
#endif
    const isopod_word_prime prime = *shared;
    isopod_word one = isopod_montgomery_one(&prime);
    for (uint32_t i = 0; i < count; i++) {
        isopod_word_product sum = isopod_word_dot(x[i], one, a[i], (isopod_word)key[i]);
        x[i] = (isopod_word)isopod_canonical(isopod_redc(sum, &prime), &prime);
    }
}

void isopod_multiply_add_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                              uint32_t count) {
#if ISOPOD_TAKES(MULTIPLY_ADD)
    if (isopod_native_multiply_add_mask(x, mask, key, count)) {
        return;
    }
#endif
    isopod_residue group[ISOPOD_MASK_GROUP];
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, group);
        isopod_multiply_add(x + i, (const isopod_word *)group, key + i, ISOPOD_MASK_GROUP,
                            mask->at.prime);
    }
}

void isopod_reduce_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime) {
#if ISOPOD_TAKES(POINTWISE)
    if (isopod_native_reduce_all(x, count, prime)) {
        return;
    }
#endif
    for (uint32_t i = 0; i < count; i++) {
        x[i] = isopod_reduce(x[i], prime);
    }
}

void isopod_canonical_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime) {
#if ISOPOD_TAKES(POINTWISE)
    if (isopod_native_canonical_all(x, count, prime)) {
        return;
    }
#endif
    for (uint32_t i = 0; i < count; i++) {
        x[i] = (isopod_word)isopod_canonical(isopod_reduce(x[i], prime), prime);
    }
}

/* |redc| < q/2 + q/2 for |x| < R/2 and a square below q. */
void isopod_to_montgomery_all(isopod_word *x, uint32_t count, const isopod_word_prime *prime) {
#if ISOPOD_TAKES(POINTWISE)
    if (isopod_native_to_montgomery_all(x, count, prime)) {
        return;
    }
#endif
    for (uint32_t i = 0; i < count; i++) {
        isopod_word value = isopod_montgomery(x[i], (isopod_word)prime->montgomery_square, prime);
        x[i] = (isopod_word)isopod_canonical(value, prime);
    }
}
#endif
