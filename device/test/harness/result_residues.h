/* The residues of a sealed result modulo one prime, by the rules of spec/vectors/decoding.json. */
#ifndef ISOPOD_TEST_RESULT_RESIDUES_H
#define ISOPOD_TEST_RESULT_RESIDUES_H

#include "fixture.h"

/* The message without its noise: n words, raised as the vectors say; under BFV each stands for word
 * / t. */
typedef struct {
    const int64_t *words;
    uint32_t raised;
} result_message;

/* Writes the residues of c0 and c1 in NTT order. */
void result_polynomials(const fixture *set, const result_message *message, uint8_t prime,
                        uint32_t *refill, uint32_t *c0, uint32_t *c1);

/* Writes the packed residues of c0 and c1; `refill` goes on from prime to prime. Returns the bytes
 * of each. */
uint32_t result_residues(const fixture *set, const result_message *message, uint8_t prime,
                         uint32_t *refill, uint8_t *const out[2]);
uint32_t result_residues64(const fixture *set, const result_message *message, uint8_t prime,
                           uint32_t *refill, uint8_t *const out[2]);

#endif
