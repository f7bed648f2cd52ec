/* Messages of BFV as polynomials modulo 32-bit primes (spec/bfv.md, section 3). Constant time;
 * bounds are in integers.h. */
#include "integers.h"

#include <stddef.h>

#include "../backend/backend.h"
#include "../ring/montgomery.h"

#if ISOPOD_PORTABLE(INTEGERS)
void isopod_load_integers(const isopod_polynomial *polynomial, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int32_t *words = (const int32_t *)polynomial->words + first;
    const isopod_prime prime = *polynomial->prime;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = isopod_montgomery(words[i], polynomial->factor, &prime);
    }
    for (uint32_t i = 0; polynomial->error != NULL && i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += polynomial->error[first + i];
    }
}

void isopod_add_to_integers(int32_t *words, const int8_t *error, uint32_t count, int32_t plain) {
    for (uint32_t i = 0; i < count; i++) {
        words[i] += error[i] * plain;
    }
}

/* v is -x for canonical x, or t - x where x + h >= t. */
void isopod_centre_integers(int32_t *x, uint32_t count, const isopod_prime *shared) {
    const isopod_prime plain = *shared;
    const int32_t last = (int32_t)(plain.modulus - 3u) / 2;
    for (uint32_t i = 0; i < count; i++) {
        int32_t canonical = (int32_t)isopod_canonical(x[i], &plain);
        uint32_t is_upper = isopod_ct_negative(last - canonical);
        x[i] = (int32_t)(plain.modulus & is_upper) - canonical;
    }
}
#endif
