/* Arguments of words64.S, in its order. */
#ifndef ISOPOD_ARMV7EM_WORDS64_H
#define ISOPOD_ARMV7EM_WORDS64_H

#include "../../../base/word.h"

/* Blocks of 2 * half_bytes from x to end; a centred twiddle for each. */
typedef struct {
    int64_t *x;
    const int64_t *twiddles;
    const int64_t *end;
    uint32_t half_bytes;
    uint64_t modulus;
    uint32_t negative_inverse; /* -1/q mod 2^32 */
    uint64_t multiple;         /* a multiple of q, for the inverse */
} isopod64_layer_words;

/* Computes one layer. In 0 <= x < B; out 0 <= x < B + 2q, where B + 2q <= 2^64. */
void isopod64_layer(const isopod64_layer_words *layer);

/* Computes one inverse layer, whose twiddles go from the last one of the forward layer back to its
 * first. In 0 <= x <= multiple < 2^63; out sums of two, and 0 <= x < 2q. */
void isopod64_inverse_layer(const isopod64_layer_words *layer);

typedef struct {
    uint64_t factor; /* < q */
    uint64_t modulus;
    uint32_t negative_inverse;
    const int64_t *end; /* of x */
    const uint64_t *key;
    uint32_t unused;
} isopod64_words;

/* Compute (x*factor + a*key) / 2^64 mod q, canonical, and x*factor / 2^64 mod q; 0 <= x < 2^63, 0
 * <= a, key < q. */
void isopod64_multiply_words(int64_t *x, const int64_t *a, const isopod64_words *with);
void isopod64_scale_words(int64_t *x, const isopod64_words *with);

#endif
