/* The interface of linear tags (frame_tag.c) to encryption. A key names these functions, so that
 * they are linked only where a program opens a key. */
#ifndef ISOPOD_LINEAR_METHOD_H
#define ISOPOD_LINEAR_METHOD_H

#include "isopod/rounded.h"
#include "../tag/linear_tag.h"

struct isopod_linear_method {
    const struct isopod_linear_second *second; /* NULL: frames have one tag */
    /* Refuses values that are no integers. */
    isopod_status (*check)(const isopod_values *values);
    /* Rounded coefficients: adds values. Those of a callback begin with number
     * `first` of all; an array has all of them. */
    void (*add)(const isopod_rounded *context, const void *data, uint32_t first, uint32_t count);
    /* Writes the tags as a piece of the frame. Leaves traces on the stack, which the caller wipes.
     */
    void (*finish)(isopod_rounded *context);
    /* Whole residues: adds the values of places from this one on, and writes the tags
     * into the context. Both leave traces on the stack, which the caller wipes. */
    void (*add_whole)(const isopod_encryption *context, isopod_linear_sum *sum,
                      const isopod_values *values, uint32_t place);
    void (*finish_whole)(isopod_encryption *context, const isopod_linear_sum *sum);
};

/* Bytes of a frame's tags; none without a key. */
/*@ requires key == \null || (\valid_read(key) && \valid_read(key->method));
    assigns \nothing;
    ensures key == \null ==> \result == 0;
    ensures key != \null ==> \result == 8 || \result == 16; */
static inline uint32_t isopod_linear_bytes(const isopod_linear_key *key) {
    if (key == NULL) {
        return 0;
    }
    return key->method->second != NULL ? 2u * ISOPOD_LINEAR_TAG_BYTES : ISOPOD_LINEAR_TAG_BYTES;
}

#endif
