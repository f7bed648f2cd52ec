/* Products of groups of 32 neighbours (product27.S). */
#ifndef ISOPOD_ARMV7EM_PRODUCT_GROUP_H
#define ISOPOD_ARMV7EM_PRODUCT_GROUP_H

#include "../../../ring/ntt.h"

/* Arguments of product27.S, in its order. */
typedef struct {
    const int32_t *first;
    const int32_t *second;
    const uint32_t *key;
    uint32_t modulus;
    uint32_t negative_inverse;
    int32_t one; /* 2^32 mod q, centred */
} isopod_product_group;

void isopod_product27(int32_t *x, const uint32_t *a, const isopod_product_group *group);

/* isopod_product27 with lean tables; group->first still counts the twiddles. */
void isopod_product_lean(int32_t *x, const uint32_t *a, const isopod_product_group *group,
                         const isopod_ntt *ntt);

#endif
