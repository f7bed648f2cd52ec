/* Messages of TFHE as blocks, and blocks with errors as coefficients (spec/tfhe.md, section 4). */
#ifndef ISOPOD_TFHE_MESSAGE_H
#define ISOPOD_TFHE_MESSAGE_H

#include "isopod/tfhe.h"
#include "../random/suite_block.h"

/* Checks types and counts of runs, but not their data, and sets *coefficients. ISOPOD_ERROR_COUNT,
 * _VALUE_TYPE. */
isopod_status isopod_tfhe_schema_check(const isopod_tfhe_params *params,
                                       const isopod_tfhe_values *values, uint32_t *coefficients);

/* Checks runs and values and sets *coefficients. ISOPOD_ERROR_COUNT, _VALUE_TYPE, _VALUE_RANGE.
 * Constant time with respect to the values. */
isopod_status isopod_tfhe_message_check(const isopod_tfhe_params *params,
                                        const isopod_tfhe_values *values, uint32_t *coefficients);

/* Writes the blocks, two bits each, 16 to a word, and zeros up to a multiple of 32 of them. */
void isopod_tfhe_message_pack(uint32_t *blocks, const isopod_tfhe_params *params,
                              const isopod_tfhe_values *values);

/* The message, or errors alone, that isopod_tfhe_add_errors adds to a polynomial. */
typedef struct {
    const isopod_tfhe_params *params;
    const uint32_t *blocks; /* NULL: errors only */
    uint32_t count;         /* coefficients, rounded up to a multiple of 32 */
} isopod_tfhe_addend;

/* words[i] += e_i + m_i, the errors from the stream. */
void isopod_tfhe_add_errors(void *words, const isopod_tfhe_addend *addend, isopod_stream *errors);

/* Rounds `count` words to their upper halves, in place. */
void isopod_tfhe_round(void *words, uint32_t count, const isopod_tfhe_params *params);

#endif
