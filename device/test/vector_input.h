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

/* The set of this name; a failed check and the first set if there is none. */
const isopod_ckks_params *vector_set(const char *name);

/* The suite of this wire number, 1..3. */
const isopod_suite *vector_suite(uint32_t number);

#endif
