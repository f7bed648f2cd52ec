/* A holder's part of a result: l * S * c1 in half of its coefficients (spec/owners.md, section
 * 3). */
#ifndef ISOPOD_PARTIAL_H
#define ISOPOD_PARTIAL_H

#include "share.h"

typedef struct {
    const isopod_holder *holder;
    const uint8_t *c1; /* packed */
    const isopod_answering *answering;
} isopod_partial;

/* Writes the even or the odd coefficients modulo each of the three primes, |x| < q, one prime after
 * the other. The top bit of the returned word is set if a residue of c1 is not below its prime. */
uint32_t isopod_partial_half(int32_t *x, const isopod_partial *of, uint32_t is_odd);

#endif
