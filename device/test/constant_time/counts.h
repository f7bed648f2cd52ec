/* What the parts of the counting program share: random secrets, and the ternary sampler's report.
 */
#ifndef ISOPOD_COUNTS_H
#define ISOPOD_COUNTS_H

#include "../harness/fixture.h"

#define COUNTS_OWNER_PROFILES 8u
#define COUNTS_TFHE_PROFILES 7u

/* Decryptions and key pairs, everything random; profile < COUNTS_OWNER_PROFILES. */
void counts_owner(uint32_t profile, uint32_t trials);

/* TFHE encryptions and key generation, everything random; profile < COUNTS_TFHE_PROFILES. */
void counts_tfhe(uint32_t profile, uint32_t trials);

uint32_t counts_random(void);

/* Entropy, as isopod_entropy wants it. */
int counts_random_fill(void *state, uint8_t *out, size_t length);

/* 16 symbols of 0, 1, 2 in each word. */
void counts_randomise_symbols(uint32_t *words, uint32_t count);

/* Any symbols, any residues: a random secret key in the place of the opened one. Public keys are no
 * secret and stay. */
void counts_randomise_key(const fixture *set);

/* Signs, zeros, subnormal numbers and every exponent below the bound; residues of BFV. */
void counts_randomise_values(const fixture *set, const isopod_values *values);

/* From here on the ternary sampler has regions of its own; and prints how many symbols it rejected,
 * which ends that. One call of each per trial. */
void counts_measure(void);
void counts_report(void);

#endif
