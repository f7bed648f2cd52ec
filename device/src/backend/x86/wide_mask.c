/* Everything here is public. */
#define ISOPOD_LIMB_BITS 64
#include "wide_span.h"

#define LARGEST_BITS 60u
/* Fields of at most so many bits lie within the eight bytes from their first one on. */
#define LARGEST_WITHIN_BITS 57u

static uint64_t word_at(const uint8_t *at) {
    uint64_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

/* 32 fields. The result has the top bit set if one is not below the modulus. */
static inline __attribute__((always_inline)) uint64_t
unpack(uint64_t *out, const uint8_t *packed, const isopod_wide_prime *prime, int within) {
    const uint64_t keep = ((uint64_t)1 << prime->bits) - 1u, last = prime->modulus - 1u;
    uint64_t over = 0;
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        uint32_t bit = i * prime->bits, shift = bit % 8u;
        uint64_t field = word_at(packed + bit / 8u) >> shift;
        if (!within) {
            field |= (uint64_t)packed[bit / 8u + 8u] << 1 << (63u - shift);
        }
        out[i] = field & keep;
        over |= last - out[i];
    }
    return over;
}

static void take(isopod_mask *mask, uint64_t *out, uint32_t count) {
    const isopod_wide_prime *prime = mask->at.prime;
    uint32_t words[ISOPOD_WIDE_SPAN / 32u * LARGEST_BITS + 3u];
    uint32_t used = count / 32u * prime->bits;
    isopod_stream_words(&mask->source.streams.candidates, words, used);
    words[used] = words[used + 1] = words[used + 2] = 0; /* read with the last fields, not used */
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        const uint8_t *packed = (const uint8_t *)(words + i / 32u * prime->bits);
        uint64_t over = prime->bits <= LARGEST_WITHIN_BITS ? unpack(out + i, packed, prime, 1)
                                                           : unpack(out + i, packed, prime, 0);
        if (over >> 63 != 0) {
            isopod_mask_replace(mask, out + i, ISOPOD_MASK_GROUP);
        }
    }
}

void isopod_mask_fields_group(isopod_mask *mask, uint64_t out[ISOPOD_MASK_GROUP]) {
    take(mask, out, ISOPOD_MASK_GROUP);
}

void isopod_wide_span(isopod_mask *mask, uint64_t *out, uint32_t count) {
    if (mask->suite->seal == NULL) {
        take(mask, out, count);
        return;
    }
    for (uint32_t i = 0; i < count; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(mask, out + i);
    }
}
