/* Tables of twiddles (spec/ckks.md, section 5). Public. */
#ifndef ISOPOD_TWIDDLES_H
#define ISOPOD_TWIDDLES_H

#include "../base/word.h"

/* Writes n words: psi^brv(i) * R mod q, centred. */
void isopod_build_twiddles(isopod_word *twiddles, const isopod_word_prime *prime,
                           uint32_t log2_degree);

#endif
