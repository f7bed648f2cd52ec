/* Messages as polynomials modulo 64-bit primes: message words of either size need no reduction. */
#define ISOPOD_WORD_BITS 64
#include "message.h"

#include "encode.h"
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
    const isopod_prime64 prime = *polynomial->prime;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = isopod_montgomery(words[i], polynomial->factor, &prime);
    }
    for (uint32_t i = 0; polynomial->error != NULL && i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += polynomial->error[first + i];
    }
}

/* divisor^-1 in Montgomery form, as divisor^(q-2); |result| <= q/2. */
static int64_t inverse_of(uint32_t divisor, const isopod_prime64 *prime) {
    int64_t base = isopod_to_montgomery(divisor, prime);
    return isopod_centred(isopod_montgomery_power(base, prime->modulus - 2u, prime), prime);
}

void isopod64_set_message(isopod_polynomial *polynomial, const isopod_message *message) {
    uint32_t is_long = message->word_bytes == 8;
    switch (message->form) {
    case ISOPOD_MESSAGE_INTEGERS:
        polynomial->load = load_integers;
        polynomial->factor = inverse_of(message->divisor, polynomial->prime);
        break;
    case ISOPOD_MESSAGE_COEFFICIENTS:
        polynomial->load = is_long ? load_words64 : load_words32;
        break;
    case ISOPOD_MESSAGE_COMPLEX:
        polynomial->load = is_long ? load_complex64 : load_complex32;
        break;
    default:
        polynomial->load = is_long ? load_slots64 : load_slots32;
        break;
    }
}
