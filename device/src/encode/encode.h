/* CKKS encoding of real slots in fixed point (spec/ckks.md, section 4): a DCT-II in n/2 words,
 * constant time, bit-identical on every machine. One source (encode_template.h) is compiled for
 * 32-bit and for 64-bit words. */
#ifndef ISOPOD_ENCODE_H
#define ISOPOD_ENCODE_H

#include <stdint.h>

#include "isopod/status.h"
#include "isopod/values.h"
#include "../ring/polynomial.h"
#include "dither.h"

/* Checks the values: ISOPOD_OK, or the documented error of the first kind of violation found; looks
 * at every value before it returns. */
isopod_status isopod_values_check(const isopod_values *values, int8_t log2_bound);
uint32_t isopod_native_values_check(const isopod_values *values, int8_t log2_bound,
                                    isopod_status *status);

typedef struct {
    uint8_t log2_ring_degree;
    uint8_t log2_scale;
    int8_t log2_bound;
    uint32_t filled;                    /* slots that hold a value */
    uint32_t index_mask;                /* slot j holds value j & index_mask */
    const isopod_dither_source *dither; /* NULL: words are rounded to nearest */
} isopod_encoding;

/* Encodes checked values to the n/2 words of `message`, packed as in the specification. */
void isopod_encode32(int32_t *message, const int32_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding);
uint32_t isopod_native_encode32(int32_t *message, const int32_t *cosine,
                                const isopod_values *values, const isopod_encoding *encoding);

void isopod_encode64(int64_t *message, const int64_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding);

/* isopod_message32_add for messages of 64-bit words. */
void isopod_message64_add(const int64_t *message, uint32_t n, uint32_t first,
                          int64_t out[ISOPOD_FOLD_BLOCK]);

#endif
