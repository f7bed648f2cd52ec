/* Error and ternary sampling (spec/ckks.md, sections 3.1 and 3.2). Constant time, except that the
 * number of rejected ternary symbols shows. */
#ifndef ISOPOD_SAMPLE_H
#define ISOPOD_SAMPLE_H

#include "suite_block.h"

/* Samples n centred binomial errors in -21..21, variance 10.5; n a multiple of 64, out 4-byte
 * aligned. */
void isopod_sample_error(int8_t *out, uint32_t n, isopod_stream *stream);
uint32_t isopod_native_sample_error(int8_t *out, uint32_t n, isopod_stream *stream);

/* Samples n uniform ternary coefficients, 2 bits each (value + 1), least significant first; n a
 * multiple of 16. */
void isopod_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream);
uint32_t isopod_native_sample_ternary(uint32_t *out, uint32_t n, isopod_stream *stream);

#endif
