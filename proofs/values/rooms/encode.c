/* The room encode at n = 1024: values of any type and bits, at every scale and bound of the checks,
 * by every encoder. */
// rooms: encode ring/polynomial.c random/dither.c base/parameter_sets.c
// stubs: primitives.c random_stub.c ring_stub.c
// mains: values slots layouts integers
// options: -eva-slevel 8 -eva-auto-loop-unroll 20 -eva-split-return auto
// options: -eva-use-spec isopod_reduce
#include "arbitrary.h"
#include "encode/cosines.h"
#include "encode/encode.h"
#include "encode/encoder.h"
#include "encode/integers.h"
#include "encode/message.h"
#include "encode/values.h"

#define N 1024u
#define COUNT 32u

static uint32_t words[COUNT * 2u];
static uint64_t longs[COUNT];
static int32_t message[2u * N], cosines[N / 2u + 1u];
static int64_t message64[2u * N], cosines64[N / 2u + 1u];
static int8_t error[N];

static isopod_values any_values(void) {
    const isopod_values floats = {words, COUNT, ISOPOD_VALUES_FLOAT32},
                        doubles = {longs, COUNT, ISOPOD_VALUES_FLOAT64};
    const isopod_values numbers = {words, COUNT, ISOPOD_VALUES_INT32};
    ARBITRARY(words);
    ARBITRARY(longs);
    return MAYBE ? floats : MAYBE ? doubles : numbers;
}

void values(void) {
    static const isopod_value_type types[3] = {ISOPOD_VALUES_FLOAT32, ISOPOD_VALUES_INT32,
                                               ISOPOD_VALUES_FLOAT64};
    ARBITRARY(words);
    ARBITRARY(longs);
    //@ loop unroll 3;
    for (uint32_t i = 0; i < 3; i++) {
        isopod_values some = {i < 2 ? (const void *)words : longs, BETWEEN(0, COUNT), types[i]};
        (void)isopod_values_check(&some, (int8_t)BETWEEN(0, 40));
        (void)isopod_values_check(&some, (int8_t)SIGNED(-20, -1));
        (void)isopod_value_fixed32(&some, BETWEEN(0, COUNT - 1u), SIGNED(-10, 50));
        (void)isopod_value_fixed64(&some, BETWEEN(0, COUNT - 1u), SIGNED(-10, 82));
    }
    isopod_build_cosines(cosines, cosines64, 10);
}

static void any_cosines(void) {
    //@ loop unroll 513;
    for (uint32_t i = 0; i <= N / 2u; i++) {
        cosines[i] = SIGNED(-(1 << 30), 1 << 30);
        cosines64[i] = LONG(-((int64_t)1 << 62), (int64_t)1 << 62);
    }
}

static isopod_encoding any_encoding(uint32_t filled) {
    isopod_encoding encoding = {10, (uint8_t)BETWEEN(0, 30), 0, filled, COUNT - 1u, NULL};
    return encoding;
}

void slots(void) {
    const isopod_values some = any_values();
    const isopod_encoding encoding = any_encoding(N / 2u);
    any_cosines();
    isopod_encode32(message, cosines, &some, &encoding);
    isopod_encode64(message64, cosines64, &some, &encoding);
}

static void load_all(const isopod_encoder_words *of, const void *words_of) {
    int32_t out[ISOPOD_FOLD_BLOCK];
    const isopod_polynomial polynomial = {
        of->load, words_of, error, &isopod_ckks_1024x1_sum.primes[0], N, 1};
    for (uint32_t first = 0; first < N; first += ISOPOD_FOLD_BLOCK) {
        of->load(&polynomial, first, out);
    }
}

void layouts(void) {
    const isopod_values some = any_values();
    any_cosines();
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        error[i] = (int8_t)SIGNED(-21, 21);
    }
    //@ loop unroll 2048;
    for (uint32_t i = 0; i < 2u * N; i++) {
        message[i] = SIGNED(-(1 << 30), 1 << 30);
        message64[i] = LONG(-((int64_t)1 << 57), (int64_t)1 << 57);
    }
    load_all(isopod_encoder_slots32.words32, message);
    load_all(isopod_encoder_slots64.words64, message64);
    load_all(isopod_encoder_complex32.words32, message);
    load_all(isopod_encoder_complex64.words64, message64);
    load_all(isopod_encoder_coefficients32.words32, message);
    load_all(isopod_encoder_coefficients64.words64, message64);
    isopod_encoding encoding = any_encoding(N / 2u);
    isopod_encoder_complex32.words32->encode(message, cosines, &some, &encoding);
    isopod_encoder_complex64.words64->encode(message64, cosines64, &some, &encoding);
    encoding.filled = COUNT;
    isopod_encoder_coefficients32.words32->encode(message, cosines, &some, &encoding);
    isopod_encoder_coefficients64.words64->encode(message64, cosines64, &some, &encoding);
}

void integers(void) {
    const isopod_prime *plain = isopod_bfv_1024x1_count.plain,
                       *prime = &isopod_bfv_1024x1_count.primes[0];
    int32_t out[ISOPOD_FOLD_BLOCK], t = (int32_t)plain->modulus;
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        error[i] = (int8_t)SIGNED(-21, 21);
        message[i] = SIGNED(1 - t, t - 1);
    }
    isopod_centre_integers(message, N, plain);
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        message[i] = SIGNED(1 - t, t - 1);
    }
    isopod_add_to_integers(message, error, N, t);
    isopod_polynomial polynomial = {
        isopod_load_integers, message, MAYBE ? error : NULL, prime, N, 0};
    polynomial.factor = SIGNED(-(int32_t)(prime->modulus / 2u), (int32_t)(prime->modulus / 2u));
    for (uint32_t first = 0; first < N; first += ISOPOD_FOLD_BLOCK) {
        isopod_load_integers(&polynomial, first, out);
    }
}
