/* Values of any type as fixed-point words, by integer operations only. Constant time. */
#ifndef ISOPOD_VALUES_H
#define ISOPOD_VALUES_H

#include <stdint.h>

#include "isopod/values.h"

/* The bits of an infinity. */
#define ISOPOD_FLOAT32_INFINITY 0x7f800000u
#define ISOPOD_FLOAT64_INFINITY 0x7ff0000000000000u

/* value * 2^fraction_bits, rounded to nearest, ties away from zero; |value| * 2^fraction_bits <=
 * 2^30 or 2^62. */
int32_t isopod_value_fixed32(const isopod_values *values, uint32_t index, int32_t fraction_bits);
int64_t isopod_value_fixed64(const isopod_values *values, uint32_t index, int32_t fraction_bits);

#endif
