/* The range of integers, for BFV and for rounded coefficients. Constant time. */
#ifndef ISOPOD_INTEGER_RANGE_H
#define ISOPOD_INTEGER_RANGE_H

#include "isopod/status.h"
#include "isopod/values.h"

/* Whether each |value| <= most: ISOPOD_OK, ISOPOD_ERROR_VALUE_RANGE; ISOPOD_ERROR_VALUE_TYPE of
 * others than integers of 32 bits. most < 2^30. */
isopod_status isopod_integers_check(const isopod_values *values, uint32_t most);

/* Whether each |value| <= most of integers of 16 bits; most <= 2^15. */
isopod_status isopod_int16_check(const isopod_values *values, uint32_t most);

/* A kernel's word whose top bit is set if a value plus `offset` modulo 2^32 is greater than
 * `most`; offset <= most. */
uint32_t isopod_any_over(const isopod_values *values, uint32_t offset, uint32_t most);

#endif
