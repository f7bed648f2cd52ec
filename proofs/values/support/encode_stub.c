/* The demands of encode/values.c, encode/encode32.c and encode/encode64.c on their callers;
 * encode.c analyses these. */
#include "arbitrary.h"
#include "encode/decomposed.h"
#include "encode/encode.h"
#include "encode/values.h"

/*@ requires \valid_read(values);
    requires values->type == ISOPOD_VALUES_FLOAT64 && values->count > 0 ==>
        \valid_read((uint64_t *)values->data + (0 .. values->count - 1));
    requires (values->type == ISOPOD_VALUES_FLOAT32 ||
        values->type == ISOPOD_VALUES_INT32) && values->count > 0 ==>
        \valid_read((uint32_t *)values->data + (0 .. values->count - 1)); */
isopod_status isopod_values_check(const isopod_values *values, int8_t log2_bound) {
    return MAYBE   ? ISOPOD_OK
           : MAYBE ? ISOPOD_ERROR_NOT_FINITE
           : MAYBE ? ISOPOD_ERROR_VALUE_RANGE
                   : ISOPOD_ERROR_VALUE_TYPE;
}

/* Asks a reader for a value, whichever. */
static void ask(const isopod_values *values) {
    isopod_value_reader *reader = (isopod_value_reader *)(uintptr_t)values->data;
    if (values->type == ISOPOD_VALUES_READ) {
        (void)reader->at(reader, BETWEEN(0, values->count - 1u));
    }
}

/* Every value is asked for. */
static void ask_all(const isopod_values *values) {
    for (uint32_t i = 0; i < values->count; i++) {
        ask(values);
    }
}

/*@ requires \valid_read(values); */
int64_t isopod_value_fixed64(const isopod_values *values, uint32_t index, int32_t fraction_bits) {
    ask(values);
    return LONG(-((int64_t)1 << 62), (int64_t)1 << 62);
}

/*@ requires \valid_read(values); */
int32_t isopod_value_fixed32(const isopod_values *values, uint32_t index, int32_t fraction_bits) {
    ask(values);
    return SIGNED(-(1 << 30), 1 << 30);
}

/*@ requires \valid_read(values) && \valid_read(encoding) &&
        10 <= encoding->log2_ring_degree <= 15;
    requires \valid(message + (0 .. (1 << encoding->log2_ring_degree) / 2 - 1));
    requires \valid_read(cosine + (0 .. (1 << encoding->log2_ring_degree) / 2)); */
void isopod_encode32(int32_t *message, const int32_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding) {
    ask_all(values);
    for (uint32_t i = 0; i < 1u << encoding->log2_ring_degree >> 1; i++) {
        message[i] = SIGNED(-(1 << 29), 1 << 29);
    }
}

/*@ requires n >= 64 && \valid_read(message + (0 .. n / 2 - 1)) && first % 16 == 0 && first < n;
    requires \valid(out + (0 .. 15)) && \initialized(out + (0 .. 15)); */
void isopod_message32_add(const int32_t *message, uint32_t n, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    arbitrary(out, ISOPOD_FOLD_BLOCK * sizeof *out);
}

/*@ requires \valid_read(values) && \valid_read(encoding) &&
        10 <= encoding->log2_ring_degree <= 15;
    requires \valid(message + (0 .. (1 << encoding->log2_ring_degree) / 2 - 1));
    requires \valid_read(cosine + (0 .. (1 << encoding->log2_ring_degree) / 2)); */
void isopod_encode64(int64_t *message, const int64_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding) {
    ask_all(values);
    arbitrary(message, (sizeof *message << encoding->log2_ring_degree) / 2u);
}

/*@ requires n >= 64 && \valid_read(message + (0 .. n / 2 - 1)) && first % 16 == 0 && first < n;
    requires \valid(out + (0 .. 15)) && \initialized(out + (0 .. 15)); */
void isopod_message64_add(const int64_t *message, uint32_t n, uint32_t first,
                          int64_t out[ISOPOD_FOLD_BLOCK]) {
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] = LONG(-((int64_t)1 << 58), (int64_t)1 << 58);
    }
}
