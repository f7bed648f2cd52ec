/* Products and reductions of residues in rows (reduce_words.S). */
#ifndef ISOPOD_ARMV7EM_MULTIPLY_WORDS_H
#define ISOPOD_ARMV7EM_MULTIPLY_WORDS_H

#include "../../../base/word.h"

/* Arguments of reduce_words.S, in its order. */
typedef struct {
    const uint32_t *key;
    const int32_t *end; /* of x */
    uint32_t modulus;
    uint32_t negative_inverse;
    int32_t one;
} isopod_multiply_words;

void isopod_multiply_add_words(int32_t *x, const int32_t *a, const isopod_multiply_words *with);
void isopod_reduce_words(int32_t *x, const int32_t *end, const isopod_prime *prime);

#endif
