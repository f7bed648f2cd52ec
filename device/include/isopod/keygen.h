/* What key pairs and masks expand from their seeds to (spec/ckks.md, sections 3 and 6). */
#ifndef ISOPOD_KEYGEN_H
#define ISOPOD_KEYGEN_H

#include <stdint.h>

#include "isopod/key.h"
#include "isopod/suite.h"
#include "isopod/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes n/16 words: the ternary secret key of a fresh 32-byte seed. */
void isopod_keygen_secret(uint32_t *ternary, const isopod_ckks_params *params,
                          const uint8_t seed[32]);

/* Writes the n residues of the mask that `seed` stands for, for one prime. *refill is 0 before the
 * first prime and carried from each to the next. Of a ciphertext at a lower level, `params` is a
 * copy of the set with that prime_count. Public. */
void isopod_mask_expand(uint32_t *residues, const isopod_suite *suite, const uint8_t *seed,
                        const isopod_ckks_params *params, uint8_t prime, uint32_t *refill);

/* The same of sets of 64-bit primes, in 64-bit words. */
void isopod64_mask_expand(uint64_t *residues, const isopod_suite *suite, const uint8_t *seed,
                          const isopod_params *params, uint8_t prime, uint32_t *refill);

#ifdef __cplusplus
}
#endif

#endif
