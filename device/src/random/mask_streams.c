/* Positions in a mask, and the replacement of candidates that are not below the modulus
 * (spec/ckks.md, sections 3.3 and 3.4). Everything here is public. */
#include "suite_block.h"

/* Words of a refill value. */
#define VALUE_WORDS (ISOPOD_WORD_BITS / 32u)
/* No window: positions of windows are multiples of their length. */
#define NO_WINDOW 1u

static void start_streams(isopod_mask *mask, const uint8_t *seed) {
    const isopod_mask_position *at = &mask->at;
    isopod_stream_name main_name = {ISOPOD_DOMAIN_MASK, at->index};
    isopod_stream_start(&mask->source.streams.candidates, mask->suite, seed, main_name);
    /* 32 candidates fill `bits` whole words, so groups start at word borders. */
    isopod_stream_seek(&mask->source.streams.candidates,
                       at->first / ISOPOD_MASK_GROUP * at->prime->bits);
    mask->source.streams.first_refill = NO_WINDOW;
    if (at->first == 0) {
        mask->at.refill = 0; /* each prime has a refill stream of its own */
    }
}

static void start_words(isopod_mask *mask, const uint8_t *seed) {
    const isopod_mask_position *at = &mask->at;
    isopod_seal_words *words = &mask->source.seal.words;
    words->seed = seed;
    words->modulus = at->prime->modulus;
    words->next = ((uint32_t)at->index << at->log2_ring_degree) + at->first;
    words->end = (uint32_t)at->primes << at->log2_ring_degree;
    words->refill = at->refill;
#if ISOPOD_WORD_BITS == 64
    words->refills = &mask->source.seal.refills;
#else
    words->refills = NULL;
#endif
    mask->suite->seal->start(words);
}

void isopod_mask_start(isopod_mask *mask, const isopod_suite *suite, const uint8_t *seed,
                       const isopod_mask_position *at) {
    mask->at = *at;
    mask->suite = suite;
    (suite->seal != NULL ? start_words : start_streams)(mask, seed);
}

static void words_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]) {
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        out[i] = (isopod_residue)mask->suite->seal->next_residue(&mask->source.seal.words);
    }
    mask->at.refill = mask->source.seal.words.refill;
}

void isopod_mask_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]) {
    (mask->suite->seal != NULL ? words_group : isopod_mask_fields_group)(mask, out);
}

/* Reads the window from number `first` on. It borrows the stream of the candidates, and then moves
 * that stream back to its place. */
static void read_window(isopod_mask *mask, uint32_t first) {
    isopod_stream *stream = &mask->source.streams.candidates;
    uint32_t block_words = stream->suite->block_words;
    uint32_t position =
        stream->next[ISOPOD_STREAM_COUNTER] * block_words - (block_words - stream->used);
    stream->next[ISOPOD_STREAM_DOMAIN] = ISOPOD_DOMAIN_MASK_REFILL;
    isopod_stream_seek(stream, first);
    isopod_stream_words(stream, mask->source.streams.refills, ISOPOD_REFILL_WORDS);
    stream->next[ISOPOD_STREAM_DOMAIN] = ISOPOD_DOMAIN_MASK;
    isopod_stream_seek(stream, position);
    mask->source.streams.first_refill = first;
}

/* Refill value number `at.refill`, from whichever window holds it. */
static isopod_residue next_value(isopod_mask *mask) {
    uint32_t position = VALUE_WORDS * mask->at.refill++, within = position % ISOPOD_REFILL_WORDS;
    if (mask->source.streams.first_refill != position - within) {
        read_window(mask, position - within);
    }
    const uint32_t *words = mask->source.streams.refills + within;
#if ISOPOD_WORD_BITS == 64
    return words[0] | (uint64_t)words[1] << 32;
#else
    return words[0];
#endif
}

static inline __attribute__((always_inline)) isopod_residue refill(isopod_mask *mask) {
    const isopod_word_prime *prime = mask->at.prime;
    isopod_residue value;
    do {
        value = next_value(mask) & (((isopod_residue)1 << prime->bits) - 1u);
    } while (value >= prime->modulus);
    return value;
}

isopod_residue isopod_mask_refill(isopod_mask *mask) {
    return refill(mask);
}

void isopod_mask_replace(isopod_mask *mask, isopod_residue *out, uint32_t count) {
    const isopod_residue modulus = mask->at.prime->modulus;
    for (const isopod_residue *end = out + count; out != end; out++) {
        if (*out >= modulus) {
            *out = refill(mask);
        }
    }
}
