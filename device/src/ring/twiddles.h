/* Making tables of twiddles. Public. */
#ifndef ISOPOD_TWIDDLES_H
#define ISOPOD_TWIDDLES_H

#include "../base/word.h"

/* n words: psi^brv(i) * R mod q, centred. */
void isopod_build_twiddles(isopod_word *twiddles, const isopod_word_prime *prime,
                           uint32_t log2_degree);

#endif
