/* The mask of 64-bit primes from long spans of its stream. */
#ifndef ISOPOD_X86_SPAN64_H
#define ISOPOD_X86_SPAN64_H

#include "../../../random/suite_block.h"

/* The most positions of a span: 32 words per bit of the prime, so an even number of ChaCha20
 * blocks.
 */
#define ISOPOD64_SPAN 1024u

/* Gives the next `count` residues, a multiple of 32 and at most ISOPOD64_SPAN. */
void isopod64_span(isopod_mask *mask, uint64_t *out, uint32_t count);

#endif
