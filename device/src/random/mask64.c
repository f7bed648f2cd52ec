/* The uniform mask of a prime below 2^60 from bit fields of a stream (spec/ckks.md, section 3.3),
 * in portable C. Everything here is public. */
#define ISOPOD_WORD_BITS 64
#include "suite_block.h"
#include "../backend/backend.h"
#include "../base/memory.h"

#if ISOPOD_PORTABLE(MASK)
/* Bits `at` .. `at` + 63 of the words. */
static uint64_t word_at(const isopod_alias32 *words, uint32_t at) {
    const isopod_alias32 *low = words + at / 32u;
    uint32_t shift = at % 32u;
    uint64_t middle = low[1];
    uint64_t first = low[0] | middle << 32;
    return first >> shift | (uint64_t)low[2] << 1 << (63u - shift);
}

/* Unpacks the words of the stream in place, from the last field to the first: field i lies in bytes
 * below 8i + 8. */
void isopod_mask_fields_group(isopod_mask *mask, uint64_t out[ISOPOD_MASK_GROUP]) {
    const uint32_t bits = mask->at.prime->bits;
    const uint64_t keep = ((uint64_t)1 << bits) - 1u, last = mask->at.prime->modulus - 1u;
    isopod_alias32 *words = (isopod_alias32 *)(void *)out;
    uint64_t over = 0;
    isopod_stream_words(&mask->source.streams.candidates, (uint32_t *)(void *)out, bits);
    words[bits] = words[bits + 1] = 0; /* read for the last field, not used */
    for (uint32_t i = ISOPOD_MASK_GROUP; i-- > 0;) {
        uint64_t field = word_at(words, i * bits) & keep;
        out[i] = field;
        over |= last - field;
    }
    if (over >> 63 != 0) {
        isopod_mask_replace(mask, out, ISOPOD_MASK_GROUP);
    }
}
#endif
