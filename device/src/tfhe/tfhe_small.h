/* Secrets, u and public masks of TFHE keys (spec/tfhe.md, sections 3.3 and 5). */
#ifndef ISOPOD_TFHE_SMALL_H
#define ISOPOD_TFHE_SMALL_H

#include "isopod/tfhe_params.h"
#include "../random/suite_block.h"

/* Samples the symbols of a polynomial from the distribution of the set's secret. */
void isopod_tfhe_sample_small(uint32_t *symbols, const isopod_tfhe_params *params,
                              isopod_stream *stream);

/* `count` 32-bit words of p0 from its 32-byte seed. */
void isopod_tfhe_public_mask(uint32_t *words, const uint8_t *seed, uint32_t count);

#endif
