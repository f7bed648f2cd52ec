#include "polynomial.h"

#include "encode.h"
#include "montgomery.h"

static void add_error(const isopod_polynomial *polynomial, uint32_t first,
                      int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int8_t *error = polynomial->error + first;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += error[i];
    }
}

void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           int32_t out[ISOPOD_FOLD_BLOCK]) {
    isopod_message32_load(polynomial->words, polynomial->n, first, out);
    add_error(polynomial, first, out);
}

/* |value| < 2^58 modulo q, |result| < 1.3 q: value = high * 2^32 + low with signed low. */
static int32_t reduce_wide(int64_t value, const isopod_prime *prime) {
    int32_t low = (int32_t)(uint32_t)value;
    int32_t high = (int32_t)((value - low) >> 32);
    int32_t scaled = isopod_montgomery(high, (int32_t)prime->montgomery_square, prime);
    return scaled + isopod_reduce(low, prime);
}

void isopod_load_message64(const isopod_polynomial *polynomial, uint32_t first,
                           int32_t out[ISOPOD_FOLD_BLOCK]) {
    int64_t wide[ISOPOD_FOLD_BLOCK];
    isopod_message64_load(polynomial->words, polynomial->n, first, wide);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = reduce_wide(wide[i], polynomial->prime);
    }
    add_error(polynomial, first, out);
}

void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = 0;
    }
    add_error(polynomial, first, out);
}

void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t symbols = ((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK];
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++, symbols >>= 2) {
        out[i] = ((int32_t)(symbols & 3u) - 1) * polynomial->factor;
    }
}

static void fold_block(int32_t *out, const isopod_polynomial *polynomial, const isopod_ntt *ntt,
                       uint32_t first) {
    int32_t parts[8][ISOPOD_FOLD_BLOCK];
    for (uint32_t p = 0; p < ntt->chunks; p++) {
        polynomial->load(polynomial, first + p * ntt->length, parts[p]);
    }
    isopod_ntt_fold(parts, ntt);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = parts[0][i];
    }
}

void isopod_polynomial_ntt(int32_t *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
    for (uint32_t first = 0; first < ntt->length; first += ISOPOD_FOLD_BLOCK) {
        if (ntt->chunks == 1) {
            polynomial->load(polynomial, first, out + first);
        } else {
            fold_block(out + first, polynomial, ntt, first);
        }
    }
    isopod_ntt_layers(out, ntt);
}
