/* Error sampling of TFHE (spec/tfhe.md, sections 3.1 and 3.2), 32 at a time, constant time. */
#ifndef ISOPOD_ERROR_H
#define ISOPOD_ERROR_H

#include "suite_block.h"

#define ISOPOD_ERROR_GROUP 32u

/* TUniform(log2_bound), log2_bound 8 or 17. */
void isopod_error_tuniform(int32_t out[ISOPOD_ERROR_GROUP], uint32_t log2_bound,
                           isopod_stream *stream);

/* The Gaussian of standard deviation 128. */
void isopod_error_gaussian(int32_t out[ISOPOD_ERROR_GROUP], isopod_stream *stream);

#endif
