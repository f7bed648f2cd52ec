/* Powers modulo a prime. The exponent is public. */
#ifndef ISOPOD_POWER_H
#define ISOPOD_POWER_H

#include "montgomery.h"

/* base^exponent, both in Montgomery form; |result| < q for |base| < q. */
static inline int32_t isopod_montgomery_power(int32_t base, uint32_t exponent,
                                              const isopod_prime *prime) {
    int32_t result = isopod_montgomery_one(prime);
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1u) != 0) {
            result = isopod_montgomery(result, base, prime);
        }
        base = isopod_montgomery(base, base, prime);
    }
    return result;
}

/* value in Montgomery form, |result| < q for 0 <= value < 2^30. */
static inline int32_t isopod_to_montgomery(uint32_t value, const isopod_prime *prime) {
    return isopod_montgomery((int32_t)value, (int32_t)prime->montgomery_square, prime);
}

#endif
