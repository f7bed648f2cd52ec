/* Values of any type and bits at every scale and bound of the checks, words of integers, and the
 * cosines of the smallest and the largest degree. */
// sources: encode/values.c encode/integers.c encode/cosines.c encode/cosine_roots.c
// sources: schemes/integer_range.c base/parameter_sets.c
// stubs: primitives.c
// mains: values integers
// options: -eva-slevel 8 -eva-auto-loop-unroll 20 -eva-split-return auto
// options: -eva-slevel-function isopod_add_to_integers:1100
// options: -eva-slevel-function isopod_centre_integers:1100 -eva-use-spec isopod_reduce
#include "arbitrary.h"
#include "encode/cosines.h"
#include "encode/encode.h"
#include "encode/integers.h"
#include "encode/values.h"
#include "schemes/integer_range.h"

#define N 1024u
#define COUNT 32u

static uint32_t words[COUNT * 2u];
static uint64_t longs[COUNT];
static int32_t message[N], cosines[16385];
static int64_t cosines64[16385];
static int8_t error[N];

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
    isopod_build_cosines(cosines, cosines64, 15);
    isopod_values whole = {words, BETWEEN(0, COUNT), ISOPOD_VALUES_INT32};
    (void)isopod_integers_check(&whole, BETWEEN(0, 0x3fffffff));
    (void)isopod_int16_check(&whole, BETWEEN(0, 0x8000));
    whole.type = ISOPOD_VALUES_UINT32;
    (void)isopod_integers_check(&whole, BETWEEN(0, 0x3fffffff));
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
