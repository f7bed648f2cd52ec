/* Chinese remainders of up to three wide primes. */
#ifndef ISOPOD_WIDE_REMAINDERS_H
#define ISOPOD_WIDE_REMAINDERS_H

#include "integer192.h"
#include "montgomery.h"

/* One prime more than there are plays as 1: its digit is 0. Inverses are in Montgomery form,
 * centred. */
typedef struct {
    const isopod_wide_prime *primes;
    uint32_t count;
    int64_t first_in_second, first_in_third, second_in_third;
    isopod_integer192 modulus; /* Q */
    isopod_integer192 half;    /* (Q + 1) / 2 */
} isopod_wide_remainders;

/* Coefficient k of all polynomials of n residues |x| < q: the integer in (-Q/2, Q/2]. Digits of the
 * mixed radix are canonical; products of differences below 2^61 with factors of at most q/2 reduce
 * to less than q. */
static inline isopod_integer192 isopod_wide_coefficient(const int64_t *x, uint32_t n, uint32_t k,
                                                        const isopod_wide_remainders *of) {
    uint64_t upper[2] = {0, 0};
    int64_t first = (int64_t)isopod_canonical(x[k], &of->primes[0]);
    if (of->count > 1) {
        const isopod_wide_prime *second = &of->primes[1];
        upper[0] = isopod_canonical(
            isopod_montgomery(x[n + k] - first, of->first_in_second, second), second);
    }
    if (of->count > 2) {
        const isopod_wide_prime *third = &of->primes[2];
        int64_t rest = isopod_montgomery(x[2 * (size_t)n + k] - first, of->first_in_third, third);
        rest = isopod_montgomery(rest - (int64_t)upper[0], of->second_in_third, third);
        isopod_product64 product = isopod_multiply64((int64_t)of->primes[1].modulus,
                                                     (int64_t)isopod_canonical(rest, third));
        isopod_product64 digit = {0, upper[0]};
        product = isopod_add64(product, digit);
        upper[0] = product.low;
        upper[1] = (uint64_t)product.high;
    }
    isopod_integer192 value = isopod_multiply_add192(upper, of->primes[0].modulus, (uint64_t)first);
    isopod_integer192 beyond = isopod_subtract192(value, of->half), excess = of->modulus;
    uint64_t keep = ~isopod_limb_negative((int64_t)beyond.words[2]);
    for (uint32_t i = 0; i < 3; i++) {
        excess.words[i] &= keep;
    }
    return isopod_subtract192(value, excess);
}

#endif
