/* The uniform mask from bit fields of a stream (spec/ckks.md, section 3.3). Everything here is
 * public. */
#include "../../suite_block.h"

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

/* Turns words[0..bits-1] into the 32 fields of `bits` bits in place, last field first: field i lies
 * in words of index at most i. Returns a word whose top bit tells whether any field is >= modulus.
 */
static uint32_t unpack_fields(uint32_t words[ISOPOD_MASK_GROUP], const isopod_prime *prime) {
    uint32_t bits = prime->bits, keep = (1u << bits) - 1u, last = prime->modulus - 1u;
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

static uint32_t refill(isopod_mask *mask) {
    const isopod_prime *prime = mask->at.prime;
    uint32_t value;
    do {
        isopod_stream_words(&mask->source.streams.refills, &value, 1);
        value &= (1u << prime->bits) - 1u;
        mask->at.refill++;
    } while (value >= prime->modulus);
    return value;
}

void isopod_mask_fields_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP]) {
    isopod_stream_words(&mask->source.streams.candidates, out, mask->at.prime->bits);
    if ((unpack_fields(out, mask->at.prime) >> 31) == 0) {
        return;
    }
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        if (out[i] >= mask->at.prime->modulus) {
            out[i] = refill(mask);
        }
    }
}
