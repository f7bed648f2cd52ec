/* The tags of one frame while its values are read (spec/verify.md, section 3): of its places, and
 * where the key says so a second one of its columns. */
#ifndef ISOPOD_SRC_LINEAR_TAG_H
#define ISOPOD_SRC_LINEAR_TAG_H

#include "isopod/encryption.h"
#include "isopod/linear_tag.h"

#include "../base/memory.h"
#include "linear_number.h"

#define ISOPOD_LINEAR_WORDS 24u         /* of the memory that finishes tags */
#define ISOPOD_LINEAR_SEQUENCE_SHIFT 3u /* eight pads to a block */

/* The sum of value * r^(place of the next - 1 - place) so far, below 2^61 + 4; low word first. The
 * second tag has the polynomial of the row, or one-hot reading, that is read, and the sum of those
 * before it. Secret. */
typedef struct {
    uint32_t sum[2];
    uint32_t place; /* of the next value */
    uint32_t row[2], rows[2];
} isopod_linear_sum;

_Static_assert(sizeof(isopod_linear_sum) <= 32, "the RAM of a tag");

/* Name, arrangement and meaning of the values, which a tag binds beside them. */
typedef struct {
    const isopod_frame_name *name;
    const uint8_t *packing; /* NULL: none */
    uint32_t columns, stride;
    uint32_t buckets; /* places of a one-hot reading; 1: rows are summed whole */
    uint32_t ring_degree;
    int8_t log2_unit;
} isopod_linear_frame;

/* The number of a tag's bytes; the period is above it. */
static inline uint64_t isopod_linear_tag_number(const uint8_t tag[ISOPOD_LINEAR_TAG_BYTES]) {
    return isopod_load64(tag) & ISOPOD_LINEAR_MODULUS;
}

/* Adds integers of 16 or 32 bits, from number `first` of the values on; the first of them is at
 * `place`, which is not before the sum's. */
void isopod_linear_add(isopod_linear_sum *sum, const isopod_linear_key *key,
                       const isopod_values *values, uint32_t first, uint32_t place);

/* The sum of value * r^(n - place), below 2^61 + 8. */
uint64_t isopod_linear_value(const isopod_linear_sum *sum, const isopod_linear_key *key,
                             uint32_t ring_degree);

/* The key of the pads of this shape and epoch, under a key of pads. */
void isopod_linear_pads(uint8_t out[32], const uint8_t key[32], const isopod_linear_frame *frame);

/* Writes the tag to the first two words. Leaves traces in the others and on the stack, which the
 * caller wipes. */
void isopod_linear_finish(uint32_t out[ISOPOD_LINEAR_WORDS], const isopod_linear_sum *sum,
                          const isopod_linear_key *key, const isopod_linear_frame *frame);

/* The parts of both: sum * r^count and the polynomial of the values from number `first` on; and
 * a total, hidden by the pads of the frame, as a tag. */
isopod_linear_number isopod_linear_values(isopod_linear_number sum, isopod_linear_number point,
                                          const isopod_values *values, uint32_t first);
void isopod_linear_hide(uint32_t out[ISOPOD_LINEAR_WORDS], isopod_linear_number total,
                        const isopod_linear_key *key, const isopod_linear_frame *frame);

/* The second tag (column_tag.c), with the arguments of the first; it is written behind the first.
 * Places between the columns and the stride are passed over. */
struct isopod_linear_second {
    void (*add)(isopod_linear_sum *sum, const isopod_linear_key *key,
                const isopod_linear_frame *frame, const isopod_values *values, uint32_t first,
                uint32_t place);
    void (*finish)(uint32_t out[ISOPOD_LINEAR_WORDS], const isopod_linear_sum *sum,
                   const isopod_linear_key *key, const isopod_linear_frame *frame);
};
extern const struct isopod_linear_second isopod_linear_columns;

/* Derives the keys of the period, all but their method. */
void isopod_linear_derive(isopod_linear_key *key, const isopod_linear_secrets *secrets);

#endif
