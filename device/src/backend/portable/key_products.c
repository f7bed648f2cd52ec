#include "../../key_products.h"

#include "../../montgomery.h"

void isopod_key_products(int32_t *a, int32_t *b, uint32_t count, const isopod_prime *shared) {
    const isopod_prime prime = *shared;
    for (uint32_t i = 0; i < count; i++) {
        int32_t raised = isopod_montgomery(a[i], (int32_t)prime.montgomery_square, &prime);
        b[i] = isopod_montgomery(a[i], b[i], &prime);
        a[i] = (int32_t)isopod_canonical(raised, &prime);
    }
}
