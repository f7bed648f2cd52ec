/* The uniform mask of a prime below 2^30 from bit fields of a stream (spec/ckks.md, section 3.3),
 * in portable C. Everything here is public. */
#include "suite_block.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(MASK)
/* Turns words[0..bits-1] in place into the 32 fields of `bits` bits. It begins with the last field,
 * because field i lies in words of index at most i. The top bit of the returned word is set if any
 * field is >= modulus. */
static uint32_t unpack_fields(uint32_t words[ISOPOD_MASK_GROUP], const isopod_prime *prime) {
    uint32_t bits = prime->bits, keep = (UINT32_C(1) << bits) - 1u, last = prime->modulus - 1u;
    uint32_t over = 0, at = ISOPOD_MASK_GROUP * bits;
    words[bits] = 0; /* read for the last field, not used */
    for (uint32_t i = ISOPOD_MASK_GROUP; i-- > 0;) {
        at -= bits;
        const uint32_t *low = words + at / 32u;
        uint32_t shift = at % 32u;
        uint32_t field = (low[0] >> shift | low[1] << 1 << (31u - shift)) & keep;
        words[i] = field;
        over |= last - field;
    }
    return over;
}

void isopod_mask_fields_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP]) {
    isopod_stream_words(&mask->source.streams.candidates, out, mask->at.prime->bits);
    if ((unpack_fields(out, mask->at.prime) >> 31) == 0) {
        return;
    }
    isopod_mask_replace(mask, out, ISOPOD_MASK_GROUP);
}
#endif
