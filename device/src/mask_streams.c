/* The two streams of a mask of bit fields (spec/ckks.md, section 3.3): where they start, and what
 * replaces a candidate. Everything here is public. */
#include "suite_block.h"

void isopod_mask_start(isopod_mask *mask, const isopod_suite *suite, const uint8_t *seed,
                       const isopod_mask_position *at) {
    mask->at = *at;
    mask->suite = suite;
    mask->seed = seed;
    suite->mask_start(mask);
}

void isopod_mask_fields_start(isopod_mask *mask) {
    const isopod_mask_position *at = &mask->at;
    isopod_stream_name main_name = {ISOPOD_DOMAIN_MASK, at->index};
    isopod_stream_name refill_name = {ISOPOD_DOMAIN_MASK_REFILL, at->index};
    isopod_stream_start(&mask->source.streams.candidates, mask->suite, mask->seed, main_name);
    /* 32 candidates fill `bits` whole words, so groups start at word borders. */
    isopod_stream_seek(&mask->source.streams.candidates,
                       at->first / ISOPOD_MASK_GROUP * at->prime->bits);
    isopod_stream_start(&mask->source.streams.refills, mask->suite, mask->seed, refill_name);
    if (at->first == 0) {
        mask->at.refill = 0; /* each prime has a refill stream of its own */
    }
    if (at->refill != 0) {
        isopod_stream_seek(&mask->source.streams.refills, at->refill);
    }
}

uint32_t isopod_mask_refill(isopod_mask *mask) {
    const isopod_prime *prime = mask->at.prime;
    uint32_t value;
    do {
        isopod_stream_words(&mask->source.streams.refills, &value, 1);
        value &= (1u << prime->bits) - 1u;
        mask->at.refill++;
    } while (value >= prime->modulus);
    return value;
}

void isopod_mask_replace(isopod_mask *mask, uint32_t *out, uint32_t count) {
    const uint32_t modulus = mask->at.prime->modulus;
    for (const uint32_t *end = out + count; out != end; out++) {
        if (*out >= modulus) {
            *out = isopod_mask_refill(mask);
        }
    }
}
