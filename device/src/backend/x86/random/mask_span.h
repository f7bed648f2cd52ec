/* The uniform mask of 32-bit primes from long spans of its stream. */
#ifndef ISOPOD_X86_MASK_SPAN_H
#define ISOPOD_X86_MASK_SPAN_H

#include "../../../random/suite_block.h"
#include "../ring/fields.h"

/* Candidates of this many positions are taken from the stream at once: whole groups of eight
 * ChaCha20 blocks. */
#define ISOPOD_MASK_SPAN 4096u

typedef struct {
    isopod_mask *mask;
    const uint8_t *at; /* place of the next candidate */
    uint32_t ready;    /* positions whose candidates are loaded */
    uint32_t left;     /* positions to come */
    uint32_t candidates[ISOPOD_MASK_SPAN / 32u * 30u + 8u];
} isopod_mask_span;

void isopod_mask_span_start(isopod_mask_span *span, isopod_mask *mask, uint32_t count);

/* Gives the next residues; count divides ISOPOD_MASK_SPAN and is a multiple of 32. */
ISOPOD_AVX2 void isopod_mask_span_fill(isopod_mask_span *span, uint32_t *out, uint32_t count);

#endif
