/* Shares of a holder and results by the rules of spec/vectors/boards.json. */
#ifndef ISOPOD_TEST_HOLDER_INPUT_H
#define ISOPOD_TEST_HOLDER_INPUT_H

#include "isopod/holder.h"
#include "../harness/vector_input.h"

/* The numbers of a share; 1,000 frames and 2^40 queries. */
typedef struct {
    uint32_t holder, threshold, holders, bits, shift;
    uint64_t used;
} holder_numbers;

/* The blob of a share under a set whose tables are there; *bytes is its length. Memory from
 * check_memory. */
uint32_t *holder_share(const fixture *set, const holder_numbers *numbers, size_t *bytes);

/* A result that isopod_holder_read took. What its pointers lead to may be changed. Memory from
 * check_memory. */
void holder_result(isopod_result *result, const fixture *set);

#endif
