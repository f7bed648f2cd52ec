/* The NTT of compact polynomials modulo a 32-bit prime. The first pass reads the coefficients, or
 * folds them, without a separate load. Bounds are at first_pass and at the blocks of integers. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/polynomial.h"

#include <stddef.h>

#include "../../../encode/encode.h"
#include "../../../encode/integers.h"
#include "../../../ring/montgomery.h"
#include "fold_pairs.h"
#include "ntt_pass.h"
#include "polynomial_first.h"
#include "polynomial_passes.h"

#if !ISOPOD_HAS(HELIUM)
void isopod_load_error(const isopod_polynomial *polynomial, uint32_t first,
                       int32_t out[ISOPOD_FOLD_BLOCK]) {
    const int8_t *error = polynomial->error + first;
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = error[i];
    }
}

void isopod_load_message32(const isopod_polynomial *polynomial, uint32_t first,
                           int32_t out[ISOPOD_FOLD_BLOCK]) {
    isopod_load_error(polynomial, first, out);
    isopod_message32_add(polynomial->words, polynomial->n, first, out);
}

void isopod_load_ternary(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t symbols = ((const uint32_t *)polynomial->words)[first / ISOPOD_FOLD_BLOCK];
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++, symbols >>= 2) {
        out[i] = ((int32_t)(symbols & 3u) - 1) * polynomial->factor;
    }
}
#endif

enum { DEGREE = 4096, QUARTER = DEGREE / 4 };

/* Sets the twiddles of the first pass, or of a fold the three factors of this chunk's outputs, with
 * their signs. */
static void set_twiddles(int32_t twiddles[5], const isopod_ntt *ntt) {
    const isopod_prime *prime = ntt->prime;
    int32_t w1 = ntt->twiddles[1], w2 = ntt->twiddles[2], w3 = ntt->twiddles[3];
    if (ntt->chunks == 4) {
        w1 = (ntt->chunk & 2u) != 0 ? -w1 : w1;
        w2 = (ntt->chunk & 2u) != 0 ? w3 : w2;
        w2 = (ntt->chunk & 1u) != 0 ? -w2 : w2;
    }
    twiddles[0] = w1;
    twiddles[1] = w2;
    twiddles[2] = isopod_montgomery(w1, w2, prime);
    twiddles[3] = w3;
    twiddles[4] = -isopod_montgomery(w1, w3, prime);
}

/* The outputs at k = 0, where the message's words are not in the order of the others. */
static void first_message_at_zero(int32_t *out, const isopod_polynomial *polynomial,
                                  const isopod_first *from, const isopod_ntt *ntt) {
    const int32_t *message = polynomial->words, *w = from->twiddles;
    const int8_t *error = polynomial->error;
    const isopod_prime *prime = polynomial->prime;
    int32_t x0 = isopod_reduce(message[0] + error[0], prime), x1 = message[1] + error[QUARTER];
    int32_t x2 = error[2 * QUARTER], x3 = error[3 * QUARTER] - message[1];
    int32_t u1 = isopod_redc((int64_t)x1 * w[1] + (int64_t)x3 * w[2], prime);
    int32_t u3 = isopod_redc((int64_t)x1 * w[3] + (int64_t)x3 * w[4], prime);
    int32_t t2 = isopod_montgomery(x2, w[0], prime);
    out[0] = x0 + t2 + u1;
    if (ntt->chunks == 1) {
        out[QUARTER] = x0 + t2 - u1;
        out[2 * QUARTER] = x0 - t2 + u3;
        out[3 * QUARTER] = x0 - t2 - u3;
    }
}

static void first_of_words(int32_t *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
    const isopod_prime *prime = ntt->prime;
    const int32_t *message = polynomial->words;
    isopod_first from = {.error = polynomial->error,
                         .modulus = prime->modulus,
                         .negative_inverse = prime->negative_inverse,
                         .barrett = prime->barrett};
    set_twiddles(from.twiddles, ntt);
    if (message == NULL) {
        (ntt->chunks == 1 ? isopod_first_error : isopod_fold_error)(out, &from);
        return;
    }
    first_message_at_zero(out, polynomial, &from, ntt);
    from.up = message + 2;
    from.down = message + 2 * (QUARTER - 1);
    from.error++;
    (ntt->chunks == 1 ? isopod_first_message : isopod_fold_message)(out, &from);
}

/* Twiddles of the first pass times the factor, out of Montgomery form; |.| < 0.52 q. */
static void set_ternary_twiddles(int32_t w[6], const isopod_polynomial *polynomial,
                                 const isopod_ntt *ntt) {
    set_twiddles(w, ntt);
    for (uint32_t i = 0; i < 5; i++) {
        w[i] = isopod_montgomery(w[i], polynomial->factor, ntt->prime);
    }
    w[5] = polynomial->factor;
}

#if !ISOPOD_HAS(HELIUM)
/* The 2-bit fields of value + 1 as signed fields. */
static inline uint32_t signed_fields(uint32_t symbols) {
    uint32_t is_zero = ~(symbols | symbols >> 1) & 0x55555555u;
    return (~symbols & 0x55555555u) | is_zero << 1;
}

static inline int32_t field(uint32_t symbols, uint32_t i) {
    return (int32_t)(symbols << (30u - 2u * i)) >> 30;
}

static void ternary_block(int32_t *out, const uint32_t *words, const int32_t w[6]) {
    uint32_t a = signed_fields(words[0]), b = signed_fields(words[QUARTER / 16]);
    uint32_t c = signed_fields(words[QUARTER / 8]), d = signed_fields(words[3 * QUARTER / 16]);
    for (uint32_t i = 0; i < 16; i++, out++, a >>= 2, b >>= 2, c >>= 2, d >>= 2) {
        int32_t x0 = field(a, 0) * w[5], x2 = field(c, 0) * w[0];
        int32_t u1 = field(b, 0) * w[1] + field(d, 0) * w[2];
        int32_t u3 = field(b, 0) * w[3] + field(d, 0) * w[4];
        out[0] = x0 + x2 + u1;
        out[QUARTER] = x0 + x2 - u1;
        out[2 * QUARTER] = x0 - x2 + u3;
        out[3 * QUARTER] = x0 - x2 - u3;
    }
}

static void ternary_fold_block(int32_t *out, const uint32_t *words, const int32_t w[6]) {
    uint32_t a = signed_fields(words[0]), b = signed_fields(words[QUARTER / 16]);
    uint32_t c = signed_fields(words[QUARTER / 8]), d = signed_fields(words[3 * QUARTER / 16]);
    for (uint32_t i = 0; i < 16; i += 4, a >>= 8, b >>= 8, c >>= 8, d >>= 8) {
        for (uint32_t j = 0; j < 4; j++) {
            *out++ =
                field(a, j) * w[5] + field(c, j) * w[0] + field(b, j) * w[1] + field(d, j) * w[2];
        }
    }
}
#endif

static void first_of_ternary(int32_t *out, const isopod_polynomial *polynomial,
                             const isopod_ntt *ntt) {
    const uint32_t *words = polynomial->words;
    int32_t w[6];
    set_ternary_twiddles(w, polynomial, ntt);
#if ISOPOD_HAS(HELIUM)
    (ntt->chunks == 1 ? isopod_first_ternary : isopod_fold_ternary)(out, words, w);
#else
    for (uint32_t i = 0; i < QUARTER / 16; i++) {
        (ntt->chunks == 1 ? ternary_block : ternary_fold_block)(out + 16 * i, words + i, w);
    }
#endif
}

#if !ISOPOD_HAS(HELIUM)
/* Words of BFV that hold their noise. The factor enters with the twiddles, |w| < 0.52 q, and each
 * pair of products is reduced once. |words| < 21.5 * 2^26, so |redc| < 0.5q + 0.36q. */
static void integers_block(int32_t *out, const int32_t *words, const int32_t w[6],
                           const isopod_prime *prime) {
    for (uint32_t i = 0; i < 16; i++, out++, words++) {
        int32_t x0 = words[0], x1 = words[QUARTER], x2 = words[2 * QUARTER];
        int32_t x3 = words[3 * QUARTER];
        int32_t t0 = isopod_redc((int64_t)x0 * w[5] + (int64_t)x2 * w[0], prime);
        int32_t t2 = isopod_redc((int64_t)x0 * w[5] - (int64_t)x2 * w[0], prime);
        int32_t u1 = isopod_redc((int64_t)x1 * w[1] + (int64_t)x3 * w[2], prime);
        int32_t u3 = isopod_redc((int64_t)x1 * w[3] + (int64_t)x3 * w[4], prime);
        out[0] = t0 + u1;
        out[QUARTER] = t0 - u1;
        out[2 * QUARTER] = t2 + u3;
        out[3 * QUARTER] = t2 - u3;
    }
}

/* Reduces one sum of four products to below 0.5q + 0.72q. */
static void integers_fold_block(int32_t *out, const int32_t *words, const int32_t w[6],
                                const isopod_prime *prime) {
    for (uint32_t i = 0; i < 16; i++, words++) {
        int64_t sum = (int64_t)words[0] * w[5] + (int64_t)words[QUARTER] * w[1];
        sum += (int64_t)words[2 * QUARTER] * w[0] + (int64_t)words[3 * QUARTER] * w[2];
        out[i] = isopod_redc(sum, prime);
    }
}
#endif

/* Sets twiddles in Montgomery form, like the factor. */
static void set_integer_twiddles(int32_t w[6], const isopod_polynomial *polynomial,
                                 const isopod_ntt *ntt) {
    set_twiddles(w, ntt);
    for (uint32_t i = 0; i < 5; i++) {
        w[i] = isopod_montgomery(w[i], polynomial->factor, ntt->prime);
    }
    w[5] = polynomial->factor;
}

static void first_of_integers(int32_t *out, const isopod_polynomial *polynomial,
                              const isopod_ntt *ntt) {
    const isopod_prime prime = *ntt->prime;
    const int32_t *words = polynomial->words;
    int32_t w[6];
    set_integer_twiddles(w, polynomial, ntt);
#if ISOPOD_HAS(HELIUM)
    (ntt->chunks == 1 ? isopod_first_integers : isopod_fold_integers)(out, words, w, &prime);
#else
    for (uint32_t i = 0; i < QUARTER; i += 16) {
        (ntt->chunks == 1 ? integers_block : integers_fold_block)(out + i, words + i, w, &prime);
    }
#endif
}

/* Messages are within 2^30 + 21 and their x0 is reduced; errors are within 21; ternary
 * polynomials within the factor: one redc gives q/2 + q/8 of one product and q/2 + 0.266 q of two,
 * so that |out| < 0.75q + 0.63q + 0.77q, and for q > 0.9 * 2^30, where 0.75q is 0.54q, below
 * 1.95q. */
static uint32_t first_pass(int32_t *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
    if (polynomial->load == isopod_load_ternary) {
        first_of_ternary(out, polynomial, ntt);
    } else if (polynomial->load == isopod_load_integers) {
        first_of_integers(out, polynomial, ntt);
    } else {
        first_of_words(out, polynomial, ntt);
    }
    return 4;
}

static uint32_t is_compact(const isopod_polynomial *polynomial) {
    return polynomial->load == isopod_load_ternary || polynomial->load == isopod_load_message32 ||
           polynomial->load == isopod_load_error;
}

/* Folds the first layers into the chunk, and runs the first layer or pass where the middle passes
 * need it. */
static uint32_t first_layers(int32_t *out, const isopod_polynomial *polynomial,
                             const isopod_ntt *ntt) {
    if (ntt->chunks == 1 || !is_compact(polynomial)) {
        isopod_polynomial_fold(out, polynomial, ntt);
        return isopod_ntt_first(out, ntt);
    }
    isopod_fold_pairs(out, polynomial, ntt);
    return (ntt->length & 0xaaaaaaaau) != 0 ? isopod_ntt_first(out, ntt) : ntt->chunks;
}

/* Whether the words are integers of BFV that hold their noise. */
static uint32_t is_noisy_integers(const isopod_polynomial *polynomial) {
    return polynomial->load == isopod_load_integers && polynomial->error == NULL;
}

void isopod_polynomial_passes(int32_t *out, const isopod_polynomial *polynomial,
                              const isopod_ntt *ntt) {
    uint32_t is_special = polynomial->n == DEGREE && (ntt->chunks == 1 || ntt->chunks == 4) &&
                          (is_compact(polynomial) || is_noisy_integers(polynomial));
    uint32_t blocks = (is_special ? first_pass : first_layers)(out, polynomial, ntt);
    isopod_ntt_middle(out, ntt, blocks);
}

void isopod_polynomial_ntt(int32_t *out, const isopod_polynomial *polynomial,
                           const isopod_ntt *ntt) {
    isopod_polynomial_passes(out, polynomial, ntt);
    isopod_ntt_last(out, ntt);
}

const uint8_t isopod_reads_lean_tables = 1;

#endif
