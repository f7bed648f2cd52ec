#define ISOPOD_LIMB_BITS 64
#include "message64.h"

#include <stddef.h>

#include "../encode/encode.h"
#include "method.h"
#include "../ring/montgomery.h"
#include "../ring/power.h"

static void load_slots32(const isopod_polynomial *polynomial, uint32_t first,
                         int64_t out[ISOPOD_FOLD_BLOCK]) {
    int32_t words[ISOPOD_FOLD_BLOCK] = {0};
    isopod_message32_add(polynomial->words, polynomial->n, first, words);
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += words[i];
    }
}

static void load_slots64(const isopod_polynomial *polynomial, uint32_t first,
                         int64_t out[ISOPOD_FOLD_BLOCK]) {
    isopod_load_error(polynomial, first, out);
    isopod_message64_add(polynomial->words, polynomial->n, first, out);
}

/* Coefficients are words number first, first + 1, ... */
static void load_words32(const isopod_polynomial *polynomial, uint32_t first,
                         int64_t out[ISOPOD_FOLD_BLOCK]) {
    const int32_t *words = (const int32_t *)polynomial->words + first;
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += words[i];
    }
}

static void load_words64(const isopod_polynomial *polynomial, uint32_t first,
                         int64_t out[ISOPOD_FOLD_BLOCK]) {
    const int64_t *words = (const int64_t *)polynomial->words + first;
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += words[i];
    }
}

/* Coefficient k and k + n/2 are the parts of complex number k. */
static uint32_t complex_word(const isopod_polynomial *polynomial, uint32_t first) {
    uint32_t half = polynomial->n / 2;
    return 2 * (first & (half - 1)) + (first >= half);
}

static void load_complex32(const isopod_polynomial *polynomial, uint32_t first,
                           int64_t out[ISOPOD_FOLD_BLOCK]) {
    const int32_t *words = (const int32_t *)polynomial->words + complex_word(polynomial, first);
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += words[2 * i];
    }
}

static void load_complex64(const isopod_polynomial *polynomial, uint32_t first,
                           int64_t out[ISOPOD_FOLD_BLOCK]) {
    const int64_t *words = (const int64_t *)polynomial->words + complex_word(polynomial, first);
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += words[2 * i];
    }
}

static void load_integers(const isopod_polynomial *polynomial, uint32_t first,
                          int64_t out[ISOPOD_FOLD_BLOCK]) {
    const int32_t *words = (const int32_t *)polynomial->words + first;
    const isopod_wide_prime prime = *polynomial->prime;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = isopod_montgomery(words[i], polynomial->factor, &prime);
    }
    for (uint32_t i = 0; polynomial->error != NULL && i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += polynomial->error[first + i];
    }
}

/* t^-1 in Montgomery form, as t^(q-2); |result| <= q/2. */
static int64_t inverse_of(uint32_t plain, const isopod_wide_prime *prime) {
    int64_t base = isopod_to_montgomery(plain, prime);
    return isopod_centred(isopod_montgomery_power(base, prime->modulus - 2u, prime), prime);
}

void isopod_wide_set_message(isopod_polynomial *message, const isopod_encryption_config *config) {
    uint8_t is_wide = isopod_encryption_is_wide(config);
    if (config->params->plain != NULL) {
        message->load = load_integers;
        message->error = isopod_encryption_is_apart(config) ? message->error : NULL;
        message->factor = inverse_of(config->params->plain->modulus, message->prime);
    } else if (config->layout == ISOPOD_COEFFICIENTS) {
        message->load = is_wide ? load_words64 : load_words32;
    } else if (config->layout >= ISOPOD_COMPLEX) {
        message->load = is_wide ? load_complex64 : load_complex32;
    } else {
        message->load = is_wide ? load_slots64 : load_slots32;
    }
}
