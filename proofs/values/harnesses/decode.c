/* The decoder's transforms with the cosines of the sets: folded words of any contents within the
 * bounds of decode.h, and slots of any words to values of every type. Degrees are 512 and
 * 1024: with and without a pass of radix 2. */
// sources: encode/decode encode/cosines.c encode/cosine_roots.c base/parameter_sets.c
// stubs: primitives.c
// mains: folds words32 halves longs values
// options: -eva-slevel 8 -eva-auto-loop-unroll 33 -eva-split-return-function out_of_range:0
// options: -eva-slevel-function isopod_build_cosines:2100 -eva-slevel-function pre_twist:2100
// options: -eva-slevel-function pass:2100 -eva-slevel-function butterflies:2100
// options: -eva-slevel-function first_butterflies:2100 -eva-slevel-function radix2_pass:2100
// options: -eva-slevel-function isopod_fold32:2100
#include "arbitrary.h"
#include "encode/cosines.h"
#include "encode/decode/decode.h"

#define MOST 1024u
#define COUNT 24u

static int32_t x[MOST], words[MOST / 2u], cosine32[MOST / 2u + 1u];
static int64_t folded[MOST / 2u], longs_of[MOST / 2u], cosine64[MOST / 2u + 1u];
static uint64_t out[COUNT];

static void any_words(int32_t *to, uint32_t count, int32_t most) {
    //@ loop unroll 2048;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = SIGNED(-most, most);
    }
}

void words32(void) {
    //@ loop unroll 2;
    for (uint32_t log2_degree = 9; log2_degree <= 10; log2_degree++) {
        uint32_t n = 1u << log2_degree;
        isopod_build_cosines(cosine32, cosine64, log2_degree);
        any_words(x, n / 2u, 1 << 28);
        (void)isopod_decode32(words, x, cosine32, n);
    }
}

void halves(void) {
    //@ loop unroll 2;
    for (uint32_t log2_degree = 9; log2_degree <= 10; log2_degree++) {
        uint32_t n = 1u << log2_degree;
        isopod_build_cosines(cosine32, cosine64, log2_degree);
        ARBITRARY(x);
        any_words(x + n / 2u, n / 2u, 1 << 28);
        (void)isopod_decode64(longs_of, x, cosine64, n);
    }
}

void longs(void) {
    //@ loop unroll 2;
    for (uint32_t log2_degree = 9; log2_degree <= 10; log2_degree++) {
        uint32_t n = 1u << log2_degree;
        isopod_build_cosines(cosine32, cosine64, log2_degree);
        //@ loop unroll 1024;
        for (uint32_t i = 0; i < n / 2u; i++) {
            folded[i] = LONG(-((int64_t)1 << 60), (int64_t)1 << 60);
        }
        (void)isopod_decode64_whole(longs_of, folded, cosine64, n);
    }
}

void folds(void) {
    const isopod_prime *prime = &isopod_ckks_1024x1_sum.primes[0];
    //@ loop unroll 29;
    for (int32_t magnitude = 0; magnitude <= ISOPOD_DECODE32_LIMIT; magnitude++) {
        const isopod_decoding decoding = {1024u, magnitude};
        any_words(x, 1024u, (int32_t)prime->modulus - 1);
        (void)isopod_fold32(x, &decoding, prime);
    }
}

/* Shapes of the values that are written: the number, rows and columns are fixed. */
static const uint32_t shapes[4][2] = {{1, 1}, {1, COUNT}, {COUNT, 1}, {4, 6}};

static void write(isopod_slots slots, int32_t bits) {
    static const isopod_value_type types[4] = {ISOPOD_VALUES_FLOAT32, ISOPOD_VALUES_FLOAT64,
                                               ISOPOD_VALUES_INT32, ISOPOD_VALUES_INT64};
    //@ loop unroll 4;
    for (uint32_t i = 0; i < 4u; i++) {
        int32_t least = i == 2u ? 30 : 57;
        slots.type = types[i];
        slots.exponent = SIGNED(-60, least) - bits - 2;
        slots.exponent = slots.exponent < -1 ? slots.exponent : -1;
        bits == 27 ? isopod_slots32(out, words, &slots) : isopod_slots64(out, longs_of, &slots);
    }
}

void values(void) {
    isopod_slots slots = {.n = 1024u};
    any_words(words, 512u, (1 << 28) - 1);
    //@ loop unroll 512;
    for (uint32_t i = 0; i < 512u; i++) {
        longs_of[i] = LONG(1 - ((int64_t)1 << 60), ((int64_t)1 << 60) - 1);
    }
    //@ loop unroll 4;
    for (uint32_t i = 0; i < 4u; i++) {
        slots.rows = shapes[i][0];
        slots.columns = shapes[i][1];
        slots.stride = slots.columns + BETWEEN(0, 8);
        slots.first = BETWEEN(0, 100);
        slots.reciprocal = Frama_C_unsigned_long_long_interval((uint64_t)1 << 62, INT64_MAX);
        write(slots, 27);
        write(slots, 59);
    }
}
