/* The dither of an encoding (spec/ckks.md, section 4.4): uniform offsets in [0, 1) at which words
 * are rounded, so that the mean of every rounding error is zero. Secret. */
#ifndef ISOPOD_DITHER_H
#define ISOPOD_DITHER_H

#include <stddef.h>
#include <stdint.h>

#include "noise.h"

/* The stream of a dither, and 4-byte aligned memory for its words: n/2 bytes for real slots, n for
 * complex ones. */
typedef struct {
    const isopod_noise_source *stream;
    uint32_t *memory;
} isopod_dither_source;

/* The words of a dither, and f, the number of bits that every encoding loses. One word serves four
 * roundings. */
typedef struct {
    const uint32_t *words; /* NULL: every offset is one half, words are rounded to nearest */
    unsigned shift;
} isopod_dither;

/* Draws `count` words; source NULL: none. */
isopod_dither isopod_dither_draw(const isopod_dither_source *source, uint32_t count,
                                 unsigned shift);

/* Offset number `turn`, 0 to 3, of a word, times 2^32: its bytes in turns. */
static inline uint32_t isopod_dither_at(const isopod_dither *dither, uint32_t word, unsigned turn) {
    if (dither->words == NULL) {
        return 0x80000000u;
    }
    uint32_t offset = dither->words[word];
    return turn == 0 ? offset : offset >> 8 * turn | offset << (32 - 8 * turn);
}

#endif
