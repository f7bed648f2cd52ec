/* The inputs of the known answers, by the rules of spec/vectors. */
#ifndef ISOPOD_TEST_VECTOR_INPUT_H
#define ISOPOD_TEST_VECTOR_INPUT_H

#include "fixture.h"

/* The next number of the recurrence; it starts from VECTOR_FIRST. */
#define VECTOR_FIRST 12345u
uint32_t vector_next(uint32_t *state);

/* Values of a pattern ("random", "constant", "impulse", "signs", "square", "short") by the rule of
 * `numbers` ("f32", "f64", "i32") for ring degree n and log2_bound >= 0. Memory from check_memory.
 */
isopod_values vector_values(const char *numbers, const char *pattern, uint32_t n,
                            uint32_t log2_bound);

/* `count` numbers by the rule of `numbers`; the same for values of BFV, "u32" or "s32". */
isopod_values vector_numbers(const char *numbers, uint32_t count, uint32_t log2_bound);
isopod_values vector_integers(const char *numbers, uint32_t count, uint32_t plain);

/* The set of this name; a failed check and the first set if there is none. */
/* Tables that hold only the cosines of a degree. */
isopod_tables vector_cosines(uint32_t n);

const isopod_params *vector_set(const char *name);

/* Every set of CKKS, then every set of BFV. */
const isopod_params *vector_set_at(uint32_t index);

/* The suite of this wire number, 1..3. */
const isopod_suite *vector_suite(uint32_t number);

/* The kind of frame of the fixture's set and key, 1..4. */
uint32_t vector_kind(const fixture *fixture);

/* Configures the randomness of the known answers. */
void vector_configure(fixture *fixture, uint32_t suite, uint8_t chunks);

/* Whether the frame of the known sender has this length and digest. */
void vector_check_frame(const fixture *fixture, const isopod_values *values, uint32_t bytes,
                        const char *sha3);
/* Whether a frame that has just begun has them. */
void vector_check_begun(isopod_frame *frame, uint32_t bytes, const char *sha3);

#endif
