/* Residues as they arrive: bit-packed (spec/wire.md, section 1), at any address. */
#ifndef ISOPOD_UNPACK_H
#define ISOPOD_UNPACK_H

#include "../base/word.h"

#define ISOPOD_UNPACK_GROUP 32u

/* Unpacks `count` residues, a multiple of ISOPOD_UNPACK_GROUP. The top bit of the returned word is
 * set if one of them is not below the prime. One group of 32-bit residues may end where its packed
 * bytes end, if they are aligned. */
uint32_t isopod_unpack(isopod_word *x, const uint8_t *packed, uint32_t count,
                       const isopod_word_prime *prime);

/* Unpacks `count` factors in the same way and subtracts x from their products: a[i]*key[i] - x[i],
 * |out| < q. In 0 <= x <= q, key in Montgomery form < q. A factor that is not below the prime gives
 * a meaningless word. */
uint32_t isopod_unpack_multiply(isopod_word *x, const uint8_t *packed, const isopod_residue *key,
                                uint32_t count, const isopod_word_prime *prime);

#endif
