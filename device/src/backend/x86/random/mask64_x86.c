/* The uniform mask of 64-bit primes (spec/ckks.md, section 3.3), in long spans of its stream.
 * Everything here is public. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../ring/fields64.h"
#include "span64.h"

#define LARGEST_BITS 60u

static void take(isopod_mask *mask, uint64_t *out, uint32_t count) {
    const isopod_prime64 *prime = mask->at.prime;
    uint32_t words[ISOPOD64_SPAN / 32u * LARGEST_BITS + 3u];
    uint32_t used = count / 32u * prime->bits;
    isopod_stream_words(&mask->source.streams.candidates, words, used);
    words[used] = words[used + 1] = words[used + 2] = 0; /* read with the last fields, not used */
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        const uint8_t *packed = (const uint8_t *)(words + i / 32u * prime->bits);
        if (isopod64_fields(out + i, packed, prime) >> 63 != 0) {
            isopod_mask_replace(mask, out + i, ISOPOD_MASK_GROUP);
        }
    }
}

void isopod_mask_fields_group(isopod_mask *mask, uint64_t out[ISOPOD_MASK_GROUP]) {
    take(mask, out, ISOPOD_MASK_GROUP);
}

void isopod64_span(isopod_mask *mask, uint64_t *out, uint32_t count) {
    if (mask->suite->seal == NULL) {
        take(mask, out, count);
        return;
    }
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, out + i);
    }
}

#endif
