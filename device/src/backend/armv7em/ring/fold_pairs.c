/* The first layers of the NTT of one of several chunks (ring/fold.c), for pairs of coefficients. An
 * output of the first log2(chunks) layers is the sum of one coefficient of each part times its
 * weight, a product of twiddles. Coefficients j and j + n/2 come in pairs: two words of the packed
 * message hold them. A pair costs one reduction, and parts need no memory.
 *
 * Bounds, for q < 2^30. Weights are within q/2. Messages are within 2^30 + 21: a pair is within
 * 2^61, and (2 * q/2 * 2^30) / 2^32 + q/2 <= 0.75 q after redc. Two weights of a ternary polynomial
 * are within q. The previous sum is reduced to 0.75 q, so that |out| < 1.75 q < 2^31. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "fold_pairs.h"

#include <stddef.h>

#include "../../../ring/montgomery.h"

#define INLINE static inline __attribute__((always_inline))

INLINE void add_pair(int32_t *out, int32_t low, int32_t high, const isopod_pair *by,
                     const isopod_prime *prime) {
    int32_t sum = isopod_redc((int64_t)low * by->low + (int64_t)high * by->high, prime);
    *out = by->accumulates ? isopod_reduce(*out, prime) + sum : sum;
}

#if ISOPOD_HAS(HELIUM)
#define add_up isopod_pairs_up
#define add_down isopod_pairs_down
#define add_error isopod_pairs_error
#define add_ternary isopod_pairs_ternary
#else
static void add_up(int32_t *out, const int32_t *words, const int8_t *error, uint32_t count,
                   const isopod_pair *shared) {
    const isopod_pair by = *shared;
    const isopod_prime prime = *by.prime;
    for (const int32_t *end = out + count; out != end; out++, words += 2, error++) {
        add_pair(out, error[0] + words[0], error[by.half] - words[1], &by, &prime);
    }
}

static void add_down(int32_t *out, const int32_t *words, const int8_t *error, uint32_t count,
                     const isopod_pair *shared) {
    const isopod_pair by = *shared;
    const isopod_prime prime = *by.prime;
    for (const int32_t *end = out + count; out != end; out++, words -= 2, error++) {
        add_pair(out, error[0] + words[1], error[by.half] - words[0], &by, &prime);
    }
}
#endif

/* Coefficients j, .. within one quarter (spec/ckks.md, section 4). Pairs of the first quarter are
 * words 2t and -(2t+1), of the second 2(M-t)+1 and -2(M-t). The first of each is an exception. */
static void add_message(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                        uint32_t count, const isopod_pair *by) {
    const int32_t *words = polynomial->words;
    const int8_t *error = polynomial->error + j;
    uint32_t quarter = by->half / 2, is_down = j / quarter, t = j & (quarter - 1);
    if (t == 0) {
        int32_t low = words[is_down], high = is_down ? words[1] : 0;
        add_pair(out, error[0] + low, error[by->half] - high, by, by->prime);
        t++, out++, error++, count--;
    }
    if (is_down) {
        add_down(out, words + 2 * (size_t)(quarter - t), error, count, by);
    } else {
        add_up(out, words + 2 * (size_t)t, error, count, by);
    }
}

#if !ISOPOD_HAS(HELIUM)
static void add_error(int32_t *out, const isopod_polynomial *polynomial, uint32_t j, uint32_t count,
                      const isopod_pair *shared) {
    const isopod_pair by = *shared;
    const isopod_prime prime = *by.prime;
    const int8_t *error = polynomial->error + j;
    for (const int32_t *end = out + count; out != end; out++, error++) {
        add_pair(out, error[0], error[by.half], &by, &prime);
    }
}

/* Symbol i of 16 as -1, 0 or 1; symbols are value + 1. */
INLINE int32_t symbol(uint32_t symbols) {
    return (int32_t)(symbols & 3u) - 1;
}

/* Weights are not in Montgomery form. */
static void add_ternary(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                        uint32_t count, const isopod_pair *shared) {
    const isopod_pair by = *shared;
    const isopod_prime prime = *by.prime;
    const uint32_t *words = (const uint32_t *)polynomial->words + j / 16;
    for (const int32_t *end = out + count; out != end; words++) {
        uint32_t low = words[0], high = words[by.half / 16];
        for (const int32_t *block = out + 16; out != block; out++, low >>= 2, high >>= 2) {
            int32_t sum = symbol(low) * by.low + symbol(high) * by.high;
            *out = by.accumulates ? isopod_reduce(*out, &prime) + sum : sum;
        }
    }
}
#endif

typedef void add_function(int32_t *out, const isopod_polynomial *polynomial, uint32_t j,
                          uint32_t count, const isopod_pair *by);

static add_function *function_of(const isopod_polynomial *polynomial) {
    if (polynomial->load == isopod_load_message32) {
        return add_message;
    }
    return polynomial->load == isopod_load_error ? add_error : add_ternary;
}

/* Coefficients of a pair are added by runs within one quarter. */
void isopod_fold_pairs(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    add_function *add = function_of(polynomial);
    uint32_t quarter = polynomial->n / 4, pairs = ntt->chunks / 2u;
    uint32_t count = ntt->length < quarter ? ntt->length : quarter;
    int32_t weights[8];
    isopod_fold_weights(
        weights, ntt, add == add_ternary ? polynomial->factor : isopod_montgomery_one(ntt->prime));
    for (uint32_t p = 0; p < pairs; p++) {
        const isopod_pair by = {ntt->prime, weights[p], weights[p + pairs], polynomial->n / 2, p};
        for (uint32_t i = 0; i < ntt->length; i += count) {
            add(out + i, polynomial, p * ntt->length + i, count, &by);
        }
    }
}

#endif
