/* The tag of one frame while its values are read (spec/verify.md, section 3). */
#ifndef ISOPOD_SRC_LINEAR_TAG_H
#define ISOPOD_SRC_LINEAR_TAG_H

#include "isopod/encryption.h"
#include "isopod/linear_tag.h"

#include "../base/memory.h"

#define ISOPOD_LINEAR_WORDS 24u /* of the memory that finishes a tag */
#define ISOPOD_LINEAR_MODULUS ((UINT64_C(1) << 61) - 1u)
#define ISOPOD_LINEAR_SEQUENCE_SHIFT 3u /* eight pads to a block */

/* The sum of value * r^(place of the next - 1 - place) so far, below 2^61 + 4; low word first.
 * Secret. */
typedef struct {
    uint32_t sum[2];
    uint32_t place; /* of the next value */
} isopod_linear_sum;

/* Name, arrangement and meaning of the values, which a tag binds beside them. */
typedef struct {
    const isopod_frame_name *name;
    const uint8_t *packing; /* NULL: none */
    uint32_t columns, stride;
    uint32_t ring_degree;
    int8_t log2_unit;
} isopod_linear_frame;

/* A number below 2^61 + 7 with the same remainder as a. */
static inline uint64_t isopod_linear_folded(uint64_t a) {
    return (a & ISOPOD_LINEAR_MODULUS) + (a >> 61);
}

/* The number of a tag's bytes; the period is above it. */
static inline uint64_t isopod_linear_number(const uint8_t tag[ISOPOD_LINEAR_TAG_BYTES]) {
    return isopod_load64(tag) & ISOPOD_LINEAR_MODULUS;
}

/* The number below p of one below 2^61 + 7. */
static inline uint64_t isopod_linear_canonical(uint64_t a) {
    return (a + ((a + 1u) >> 61)) & ISOPOD_LINEAR_MODULUS;
}

/* Adds integers of 16 or 32 bits, from number `first` of the values on; the first of them is at
 * `place`, which is not before the sum's. */
void isopod_linear_add(isopod_linear_sum *sum, const isopod_linear_key *key,
                       const isopod_values *values, uint32_t first, uint32_t place);

/* The sum of value * r^(n - place), below 2^61 + 8. */
uint64_t isopod_linear_value(const isopod_linear_sum *sum, const isopod_linear_key *key,
                             uint32_t ring_degree);

/* The key of the pads of this shape and epoch. */
void isopod_linear_pads(uint8_t out[32], const isopod_linear_key *key,
                        const isopod_linear_frame *frame);

/* Writes the tag to the first two words. Leaves traces in the others and on the stack, which the
 * caller wipes. */
void isopod_linear_finish(uint32_t out[ISOPOD_LINEAR_WORDS], const isopod_linear_sum *sum,
                          const isopod_linear_key *key, const isopod_linear_frame *frame);

/* Derives the keys of the period, all but their method. */
void isopod_linear_derive(isopod_linear_key *key, const isopod_linear_secrets *secrets);

#endif
