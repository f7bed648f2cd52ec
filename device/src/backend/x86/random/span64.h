/* The mask of wide primes from long spans of its stream. */
#ifndef ISOPOD_X86_WIDE_SPAN_H
#define ISOPOD_X86_WIDE_SPAN_H

#include "../../../random/suite_block.h"

/* The most positions of a span: 32 words per bit of the prime, so an even number of ChaCha20
 * blocks.
 */
#define ISOPOD_WIDE_SPAN 1024u

/* The next `count` residues, a multiple of 32 and at most ISOPOD_WIDE_SPAN. */
void isopod_wide_span(isopod_mask *mask, uint64_t *out, uint32_t count);

#endif
