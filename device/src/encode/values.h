/* Values of any type as fixed-point words, by integer operations only. Constant time. */
#ifndef ISOPOD_VALUES_H
#define ISOPOD_VALUES_H

#include <stdint.h>

#include "isopod/values.h"

/* The bits of an infinity. */
#define ISOPOD_FLOAT32_INFINITY 0x7f800000u
#define ISOPOD_FLOAT64_INFINITY 0x7ff0000000000000u

/* (-1)^sign * magnitude * 2^exponent; magnitude < 2^53, sign 0 or 1. */
typedef struct {
    uint64_t magnitude;
    int32_t exponent;
    uint32_t sign;
} isopod_decomposed;

/* Gives values one by one. An isopod_values whose `data` is a reader has this type, which no public
 * call takes. */
#define ISOPOD_VALUES_READ ((isopod_value_type)0x40)
typedef struct isopod_value_reader isopod_value_reader;
struct isopod_value_reader {
    isopod_decomposed (*at)(isopod_value_reader *reader, uint32_t index);
};

/* value * 2^fraction_bits, rounded to nearest, ties away from zero; |value| * 2^fraction_bits <=
 * 2^30 or 2^62. */
int32_t isopod_value_fixed32(const isopod_values *values, uint32_t index, int32_t fraction_bits);
int64_t isopod_value_fixed64(const isopod_values *values, uint32_t index, int32_t fraction_bits);

#endif
