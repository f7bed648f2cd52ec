/* The products of key generation, word by word, in portable C. Bounds are in key_products.h. */
#include "key_products.h"

#include "../ring/montgomery.h"
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
