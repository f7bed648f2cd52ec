/* What wide_words.S reads, in its order. */
#ifndef ISOPOD_ARMV7EM_WIDE_WORDS_H
#define ISOPOD_ARMV7EM_WIDE_WORDS_H

#include "../../../base/limb.h"

/* Blocks of 2 * half_bytes from x to end; a centred twiddle for each. */
typedef struct {
    int64_t *x;
    const int64_t *twiddles;
    const int64_t *end;
    uint32_t half_bytes;
    uint64_t modulus;
    uint32_t negative_inverse; /* -1/q mod 2^32 */
    uint64_t multiple;         /* of q, for the inverse */
} isopod_wide_layer_words;

/* In 0 <= x < B; out 0 <= x < B + 2q, where B + 2q <= 2^64. */
void isopod_wide_layer(const isopod_wide_layer_words *layer);

/* The inverse layer, whose twiddles go from the last one of the forward layer back to its first. In
 * 0 <= x <= multiple < 2^63; out sums of two, and 0 <= x < 2q. */
void isopod_wide_inverse_layer(const isopod_wide_layer_words *layer);

typedef struct {
    uint64_t factor; /* < q */
    uint64_t modulus;
    uint32_t negative_inverse;
    const int64_t *end; /* of x */
    const uint64_t *key;
    uint32_t unused;
} isopod_wide_words;

/* (x*factor + a*key) / 2^64 mod q, canonical, and the same without the product; 0 <= x < 2^63,
 * 0 <= a, key < q. */
void isopod_wide_multiply_words(int64_t *x, const int64_t *a, const isopod_wide_words *with);
void isopod_wide_scale_words(int64_t *x, const isopod_wide_words *with);

#endif
