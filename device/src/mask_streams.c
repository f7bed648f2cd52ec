/* Where a mask starts, and what replaces a candidate of its streams (spec/ckks.md, sections 3.3 and
 * 3.4). Everything here is public. */
#include "suite_block.h"

/* Words of a refill value. */
#define REFILL_WORDS (ISOPOD_LIMB_BITS / 32u)

static void start_streams(isopod_mask *mask) {
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
        isopod_stream_seek(&mask->source.streams.refills, REFILL_WORDS * at->refill);
    }
}

static void start_words(isopod_mask *mask) {
    const isopod_mask_position *at = &mask->at;
    isopod_seal_words *words = &mask->source.words;
    words->seed = mask->seed;
    words->modulus = at->prime->modulus;
    words->next = ((uint32_t)at->index << at->log2_ring_degree) + at->first;
    words->end = (uint32_t)at->primes << at->log2_ring_degree;
    words->refill = at->refill;
#if ISOPOD_LIMB_BITS == 64
    words->refills = &mask->refills;
#else
    words->refills = NULL;
#endif
    mask->suite->seal->start(words);
}

void isopod_mask_start(isopod_mask *mask, const isopod_suite *suite, const uint8_t *seed,
                       const isopod_mask_position *at) {
    mask->at = *at;
    mask->suite = suite;
    mask->seed = seed;
    (suite->seal != NULL ? start_words : start_streams)(mask);
}

static void words_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]) {
    uint64_t residues[ISOPOD_MASK_GROUP];
    mask->suite->seal->group(&mask->source.words, residues);
    mask->at.refill = mask->source.words.refill;
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        out[i] = (isopod_residue)residues[i];
    }
}

void isopod_mask_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]) {
    (mask->suite->seal != NULL ? words_group : isopod_mask_fields_group)(mask, out);
}

isopod_residue isopod_mask_refill(isopod_mask *mask) {
    const isopod_limb_prime *prime = mask->at.prime;
    isopod_residue value;
    do {
        uint32_t words[REFILL_WORDS];
        isopod_stream_words(&mask->source.streams.refills, words, REFILL_WORDS);
        value = words[0];
#if ISOPOD_LIMB_BITS == 64
        value |= (uint64_t)words[1] << 32;
#endif
        value &= ((isopod_residue)1 << prime->bits) - 1u;
        mask->at.refill++;
    } while (value >= prime->modulus);
    return value;
}

void isopod_mask_replace(isopod_mask *mask, isopod_residue *out, uint32_t count) {
    const isopod_residue modulus = mask->at.prime->modulus;
    for (const isopod_residue *end = out + count; out != end; out++) {
        if (*out >= modulus) {
            *out = isopod_mask_refill(mask);
        }
    }
}
