/* The words of decoding from residues modulo up to three 64-bit primes: Chinese remainders in mixed
 * radix, and the fold of spec/decryption.md, section 2. Constant time. */
#ifndef ISOPOD64_FOLDING_H
#define ISOPOD64_FOLDING_H

#ifndef ISOPOD_WORD_BITS
#define ISOPOD_WORD_BITS 64
#endif
#include <stddef.h>
#include "integer192.h"
#include "../../base/memory.h"
#include "../../ring/montgomery.h"

/* An absent prime counts as 1, so that its digit is 0. Inverses are in Montgomery form, centred. */
typedef struct {
    const isopod_prime64 *primes;
    uint32_t count;
    int64_t first_in_second, both_in_third, second_in_third;
    isopod_integer192 modulus; /* Q */
    isopod_integer192 half;    /* (Q + 1) / 2 */
} isopod64_remainders;

/* d is in range if d + range has no bit of `above`. D_k is d shifted to the left, or d + to_even
 * shifted to the right. */
typedef struct {
    isopod_integer192 range, above, to_even;
    uint32_t left, down;
} isopod64_scaling;

typedef struct {
    uint32_t n;
    uint32_t has_words32; /* words of 32 bits */
    isopod64_remainders remainders;
    isopod64_scaling scaling;
} isopod64_folding;

/* Combines coefficient k of all polynomials of n residues |x| < q to the integer in (-Q/2, Q/2].
 * Digits of the mixed radix are canonical; products of differences below 2^61 and of digits with
 * factors of at most q/2 reduce to less than q. */
static inline isopod_integer192 isopod64_coefficient(const int64_t *x, uint32_t n, uint32_t k,
                                                     const isopod64_remainders *of) {
    uint64_t upper[2] = {0, 0};
    int64_t first = (int64_t)isopod_canonical(x[k], &of->primes[0]);
    if (of->count > 1) {
        const isopod_prime64 *second = &of->primes[1];
        upper[0] = isopod_canonical(
            isopod_montgomery(x[n + k] - first, of->first_in_second, second), second);
    }
    if (of->count > 2) {
        const isopod_prime64 *third = &of->primes[2];
        int64_t rest = isopod_redc(isopod_word_dot(x[2 * (size_t)n + k] - first, of->both_in_third,
                                                   -(int64_t)upper[0], of->second_in_third),
                                   third);
        isopod_product64 product = isopod_multiply64((int64_t)of->primes[1].modulus,
                                                     (int64_t)isopod_canonical(rest, third));
        isopod_product64 digit = {0, upper[0]};
        product = isopod_add64(product, digit);
        upper[0] = product.low;
        upper[1] = (uint64_t)product.high;
    }
    isopod_integer192 value = isopod_multiply_add192(upper, of->primes[0].modulus, (uint64_t)first);
    isopod_integer192 beyond = isopod_subtract192(value, of->half), excess = of->modulus;
    uint64_t keep = ~isopod_word_negative((int64_t)beyond.words[2]);
    for (uint32_t i = 0; i < 3; i++) {
        excess.words[i] &= keep;
    }
    return isopod_subtract192(value, excess);
}

static inline uint64_t isopod64_beyond(isopod_integer192 d, const isopod64_scaling *by) {
    isopod_integer192 raised = isopod_add192(d, by->range);
    uint64_t seen = 0;
    for (uint32_t i = 0; i < 3; i++) {
        seen |= raised.words[i] & by->above.words[i];
    }
    return seen;
}

/* Computes D_k, which may lose bits if it is refused. */
static inline int64_t isopod64_scaled(isopod_integer192 d, const isopod64_scaling *by) {
    if (by->down == 0) {
        return (int64_t)(d.words[0] << by->left);
    }
    isopod_integer192 odd = {{isopod_bits192(d, by->down) & 1u, 0, 0}};
    isopod_integer192 raised = isopod_add192(isopod_add192(d, by->to_even), odd);
    return (int64_t)isopod_bits192(raised, by->down);
}

/* Stores D_k at place k; not zero if it is refused. */
static inline uint64_t isopod64_fold_at(int64_t *x, uint32_t k, const isopod64_folding *by) {
    static const isopod_integer192 zero = {{0, 0, 0}};
    isopod_integer192 low = isopod64_coefficient(x, by->n, k, &by->remainders);
    isopod_integer192 high = k == 0 ? isopod_subtract192(zero, low)
                                    : isopod64_coefficient(x, by->n, by->n - k, &by->remainders);
    isopod_integer192 d = isopod_subtract192(low, high);
    int64_t word = isopod64_scaled(d, &by->scaling);
    if (by->has_words32) {
        ((isopod_alias32 *)(void *)x)[k] = (uint32_t)word;
    } else {
        x[k] = word;
    }
    return isopod64_beyond(d, &by->scaling);
}

/* Computes D_k, k < n/2, as words of 32 or 64 bits from the beginning of x on. Word k overwrites
 * residues that were read before. Not zero if one is refused. A backend may replace it. */
uint64_t isopod64_fold(int64_t *x, const isopod64_folding *by);
uint32_t isopod_native_fold64(int64_t *x, const isopod64_folding *by, uint64_t *refused);

#endif
