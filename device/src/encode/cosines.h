/* Tables of cosines for encoding and decoding (spec/ckks.md, section 4). Public. */
#ifndef ISOPOD_COSINES_H
#define ISOPOD_COSINES_H

#include <stdint.h>

/* Writes n/2 + 1 words to each table: cos(pi*i/n) * 2^30 and * 2^62. */
void isopod_build_cosines(int32_t *cosine32, int64_t *cosine64, uint32_t log2_degree);

#endif
