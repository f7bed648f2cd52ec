/* The encoders at n = 1024 and 2048: values as words of any contents within the bounds of values.h,
 * at every scale of each size of words, by every layout; and messages of any contents as
 * coefficients. */
// sources: encode/encode32.c encode/encode64.c encode/encoder32.c encode/encoder64.c
// sources: encode/layouts.c encode/layouts64.c ring/polynomial.c random/dither.c
// sources: base/parameter_sets.c
// stubs: primitives.c random_stub.c ring_stub.c
// mains: slots layouts
// options: -eva-slevel 8 -eva-auto-loop-unroll 20 -eva-split-return auto
// options: -eva-use-spec isopod_reduce
#include "arbitrary.h"
#include "encode/encode.h"
#include "encode/encoder.h"
#include "encode/message.h"
#include "encode/values.h"

#define N 1024u
#define COUNT 32u

static uint64_t longs[COUNT * 2u];
static int32_t message[2u * N], cosines[N + 1u];
static int64_t message64[2u * N], cosines64[N + 1u];
static int8_t error[N];

/*@ requires \valid_read(values) && index < 64;
    requires values->type == ISOPOD_VALUES_FLOAT64 ==>
        \valid_read((uint64_t *)values->data + (0 .. index));
    requires values->type != ISOPOD_VALUES_FLOAT64 ==>
        \valid_read((uint32_t *)values->data + (0 .. index)); */
int32_t isopod_value_fixed32(const isopod_values *values, uint32_t index, int32_t fraction_bits) {
    return SIGNED(-(1 << 30), 1 << 30);
}

/*@ requires \valid_read(values) && index < 64;
    requires values->type == ISOPOD_VALUES_FLOAT64 ==>
        \valid_read((uint64_t *)values->data + (0 .. index));
    requires values->type != ISOPOD_VALUES_FLOAT64 ==>
        \valid_read((uint32_t *)values->data + (0 .. index)); */
int64_t isopod_value_fixed64(const isopod_values *values, uint32_t index, int32_t fraction_bits) {
    return LONG(-((int64_t)1 << 62), (int64_t)1 << 62);
}

static isopod_values any_values(void) {
    const isopod_values floats = {longs, COUNT, ISOPOD_VALUES_FLOAT32},
                        doubles = {longs, COUNT, ISOPOD_VALUES_FLOAT64},
                        numbers = {longs, COUNT, ISOPOD_VALUES_INT32};
    ARBITRARY(longs);
    return MAYBE ? floats : MAYBE ? doubles : numbers;
}

static void any_cosines(void) {
    //@ loop unroll 1025;
    for (uint32_t i = 0; i <= N; i++) {
        cosines[i] = SIGNED(-(1 << 30), 1 << 30);
        cosines64[i] = LONG(-((int64_t)1 << 62), (int64_t)1 << 62);
    }
}

/* Messages of words of 32 bits have up to 30, those of 64 bits up to 57. */
static isopod_encoding any_encoding(uint8_t log2_degree, int is_long) {
    isopod_encoding encoding = {log2_degree, 0, 0, 1u << log2_degree >> 1, COUNT - 1u, NULL};
    encoding.log2_scale = (uint8_t)(is_long ? BETWEEN(31, 57) : BETWEEN(0, 30));
    return encoding;
}

static void encode_slots(uint8_t log2_degree) {
    const isopod_values some = any_values();
    const isopod_encoding encoding = any_encoding(log2_degree, 0),
                          longer = any_encoding(log2_degree, 1);
    isopod_encoder_slots32.words32->encode(message, cosines, &some, &encoding);
    isopod_encoder_slots64.words64->encode(message64, cosines64, &some, &longer);
}

void slots(void) {
    any_cosines();
    encode_slots(10);
    encode_slots(11);
}

static void encode_layouts(uint8_t log2_degree) {
    const isopod_values some = any_values();
    isopod_encoding encoding = any_encoding(log2_degree, 0), longer = any_encoding(log2_degree, 1);
    isopod_encoder_complex32.words32->encode(message, cosines, &some, &encoding);
    isopod_encoder_complex64.words64->encode(message64, cosines64, &some, &longer);
    encoding.filled = longer.filled = COUNT;
    isopod_encoder_coefficients32.words32->encode(message, cosines, &some, &encoding);
    isopod_encoder_coefficients64.words64->encode(message64, cosines64, &some, &longer);
}

static void load_all(const isopod_encoder_words *of, const void *words_of) {
    int32_t out[ISOPOD_FOLD_BLOCK];
    const isopod_polynomial polynomial = {
        of->load, words_of, error, &isopod_ckks_1024x1_sum.primes[0], N, 1};
    //@ loop unroll 64;
    for (uint32_t first = 0; first < N; first += ISOPOD_FOLD_BLOCK) {
        of->load(&polynomial, first, out);
    }
}

void layouts(void) {
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
    encode_layouts(10);
    encode_layouts(11);
}
