/* The uniform mask, 64 residues at a time, from blocks that are made eight at a time. */
#ifndef ISOPOD_HELIUM_MASK_WORDS_H
#define ISOPOD_HELIUM_MASK_WORDS_H

#include "../../random/suite_block.h"

#define ISOPOD_MASK_BATCH 64u
#define ISOPOD_EIGHT_BLOCKS 128u /* words of eight ChaCha20 blocks */

/* Words of the candidates' stream that are made and not used yet. Before the next eight blocks are
 * added, these are fewer than a batch takes. */
typedef struct {
    uint32_t
        words[2 * 30 + ISOPOD_EIGHT_BLOCKS + 4]; /* the last ones for copies of whole vectors */
    uint32_t at;                                 /* first word not used */
    uint32_t end;                                /* end of the words made */
    uint32_t later;                              /* words of the mask that are not made yet */
} isopod_mask_words;

/* Starts to read the next `count` residues, a multiple of 64; nothing is made beyond them. */
static inline void isopod_mask_words_start(isopod_mask_words *words, const isopod_mask *mask,
                                           uint32_t count) {
    words->at = words->end = 0;
    words->later = count / ISOPOD_MASK_GROUP * mask->at.prime->bits;
}

/* Gives the next 64 residues. */
void isopod_mask_batch(isopod_mask *mask, isopod_mask_words *words,
                       uint32_t out[ISOPOD_MASK_BATCH]);

#endif
