/* Powers modulo a prime. The exponent is public. */
#ifndef ISOPOD_POWER_H
#define ISOPOD_POWER_H

#include "montgomery.h"

/* base^exponent, both in Montgomery form; |result| < q for |base| < q. */
static inline isopod_word isopod_montgomery_power(isopod_word base, isopod_residue exponent,
                                                  const isopod_word_prime *prime) {
    isopod_word result = isopod_montgomery_one(prime);
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1u) != 0) {
            result = isopod_montgomery(result, base, prime);
        }
        base = isopod_montgomery(base, base, prime);
    }
    return result;
}

/* value in Montgomery form, |result| < q for 0 <= value < R/4. */
static inline isopod_word isopod_to_montgomery(isopod_residue value,
                                               const isopod_word_prime *prime) {
    return isopod_montgomery((isopod_word)value, (isopod_word)prime->montgomery_square, prime);
}

#endif
