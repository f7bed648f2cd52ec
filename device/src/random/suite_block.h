/* The interface of a randomness suite, the streams of its blocks and the masks made of them
 * (spec/ckks.md, sections 2 and 3). */
#ifndef ISOPOD_SUITE_BLOCK_H
#define ISOPOD_SUITE_BLOCK_H

#include <stdint.h>

#include "isopod/suite.h"
#include "isopod/wire.h"
#include "keccak.h"
#include "../base/word.h"

#define ISOPOD_STREAM_BLOCK_WORDS (ISOPOD_KECCAK_RATE / 4u)
#define ISOPOD_MASK_GROUP 32u
/* Words of the refill stream that a mask holds: refills are rare, and the mask is on the stack. */
#define ISOPOD_REFILL_WORDS 16u

enum isopod_domain {
    ISOPOD_DOMAIN_MASK = 1,
    ISOPOD_DOMAIN_MASK_REFILL = 2,
    ISOPOD_DOMAIN_ERROR0 = 3,
    ISOPOD_DOMAIN_ERROR1 = 4,
    ISOPOD_DOMAIN_TERNARY = 5,
    ISOPOD_DOMAIN_SECRET_KEY = 6,
    ISOPOD_DOMAIN_DITHER = 7
};

/* Indices of isopod_stream.next. */
enum { ISOPOD_STREAM_COUNTER = 0, ISOPOD_STREAM_DOMAIN = 1, ISOPOD_STREAM_INDEX = 2 };

typedef struct {
    uint32_t domain;
    uint32_t index;
} isopod_stream_name;

typedef struct {
    const isopod_suite *suite;
    const uint8_t *key; /* 32 bytes */
    uint32_t used;      /* words of the current block */
    uint32_t next[4];   /* block: its number, domain and index of the stream, 0 */
    union {
        uint32_t block[ISOPOD_STREAM_BLOCK_WORDS];
        isopod_keccak sponge; /* SHAKE-256: its state becomes the block */
    };
} isopod_stream;

void isopod_stream_start(isopod_stream *stream, const isopod_suite *suite, const uint8_t *key,
                         isopod_stream_name name);
/* Moves to a word position. */
void isopod_stream_seek(isopod_stream *stream, uint32_t position);
/* Gives the next `count` words. */
void isopod_stream_words(isopod_stream *stream, uint32_t *out, uint32_t count);

/* A place in the mask: position `first` of prime number `index`, and how many refills were used
 * before it. */
typedef struct {
    const isopod_word_prime *prime;
    uint8_t index;
    uint8_t primes;
    uint32_t log2_ring_degree;
    uint32_t first;
    uint32_t refill;
} isopod_mask_position;

/* The words of SEAL's generator (section 3.4), from number `next` on. Words from number `end` on
 * are replacements, rare below 2^30, but one word in 16 at 60 bits; `refill` of them were used. */
typedef struct {
    const uint8_t *seed;
    uint64_t modulus;
    uint32_t next;
    uint32_t end;
    uint32_t refill;
    isopod_keccak *refills; /* the sponge of replacements; NULL: nothing is kept between them */
    isopod_keccak sponge;
} isopod_seal_words;

/* A generator of masks that does not use bit fields of a stream. */
typedef struct {
    void (*start)(isopod_seal_words *words);
    uint64_t (*next_residue)(isopod_seal_words *words);
} isopod_seal_mask;

typedef struct {
    isopod_mask_position at;
    const isopod_suite *suite;
    union {
        struct {
            isopod_stream candidates;
            uint32_t first_refill; /* position of the first word of refills, 1 if there are none */
            uint32_t refills[ISOPOD_REFILL_WORDS];
        } streams;
        struct {
            isopod_seal_words words;
#if ISOPOD_WORD_BITS == 64
            isopod_keccak refills;
#endif
        } seal;
    } source;
} isopod_mask;

struct isopod_suite {
    uint8_t id;
    uint8_t mask_seed_bytes;
    uint8_t block_words;
    /* Writes the words of the stream's next `count` blocks. It may work in stream->block. `out` may
     * be stream->block if count is 1. */
    void (*blocks)(isopod_stream *stream, uint32_t *out, uint32_t count);
    const isopod_seal_mask *seal; /* NULL: the mask is bit fields of a stream (section 3.3) */
};

/* Starts the mask of `seed` at a position that is a multiple of 32. */
void isopod_mask_start(isopod_mask *mask, const isopod_suite *suite, const uint8_t *seed,
                       const isopod_mask_position *at);

/* Gives the next 32 uniform residues of the mask. */
void isopod_mask_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]);

/* isopod_mask_group where mask->suite->seal is NULL. */
void isopod_mask_fields_group(isopod_mask *mask, isopod_residue out[ISOPOD_MASK_GROUP]);

/* Takes the next accepted value of the refill stream; replaces each of `count` candidates that is
 * not below the modulus. */
isopod_residue isopod_mask_refill(isopod_mask *mask);
void isopod_mask_replace(isopod_mask *mask, isopod_residue *out, uint32_t count);

/* The function `blocks` of the SHAKE suites. */
void isopod_shake256_blocks(isopod_stream *stream, uint32_t *out, uint32_t count);

#endif
