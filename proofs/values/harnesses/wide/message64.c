/* Messages as polynomials modulo a prime of 60 bits at n = 1024: every form, in words of 32 and of
 * 64 bits, integers by any divisor. */
// words: 64
// sources: encode/message64.c encode/encode32.c encode/encode64.c ring/polynomial.c
// sources: random/dither.c base/parameter_sets.c
// stubs: primitives.c
// options: -eva-slevel 8 -eva-auto-loop-unroll 65
#include "arbitrary.h"
#include "encode/message.h"

#define N 1024u

static int32_t words[N];
static int64_t longs[N];
static int8_t error[N];

static void load_all(isopod_polynomial *polynomial, isopod_message_form form, uint8_t bytes) {
    int64_t out[ISOPOD_FOLD_BLOCK];
    isopod_message message = {.form = form, .word_bytes = bytes};
    message.divisor = BETWEEN(2, 0x3fffffff);
    polynomial->words = bytes == 8 ? (const void *)longs : words;
    isopod64_set_message(polynomial, &message);
    //@ loop unroll 64;
    for (uint32_t first = 0; first < N; first += ISOPOD_FOLD_BLOCK) {
        polynomial->load(polynomial, first, out);
    }
}

int main(void) {
    isopod_polynomial polynomial = {NULL, NULL, error, &isopod_ckks_8192x3w_multiply.primes64[0],
                                    N,    0};
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        error[i] = (int8_t)SIGNED(-21, 21);
        words[i] = SIGNED(-(1 << 30), 1 << 30);
        longs[i] = LONG(-((int64_t)1 << 57), (int64_t)1 << 57);
    }
    load_all(&polynomial, ISOPOD_MESSAGE_SLOTS, 4);
    load_all(&polynomial, ISOPOD_MESSAGE_SLOTS, 8);
    load_all(&polynomial, ISOPOD_MESSAGE_COMPLEX, 4);
    load_all(&polynomial, ISOPOD_MESSAGE_COMPLEX, 8);
    load_all(&polynomial, ISOPOD_MESSAGE_COEFFICIENTS, 4);
    load_all(&polynomial, ISOPOD_MESSAGE_COEFFICIENTS, 8);
    ARBITRARY(words);
    load_all(&polynomial, ISOPOD_MESSAGE_INTEGERS, 4);
    polynomial.error = NULL;
    load_all(&polynomial, ISOPOD_MESSAGE_INTEGERS, 4);
    return 0;
}
