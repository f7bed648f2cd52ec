/* Expansion of seeds to secret keys and masks (spec/ckks.md, sections 3, 6 and 7). Calls share
 * nothing but their arguments. Stack: 1 KB on a Cortex-M4. */
#ifndef ISOPOD_KEYGEN_H
#define ISOPOD_KEYGEN_H

#include <stdint.h>

#include "isopod/key.h"
#include "isopod/suite.h"
#include "isopod/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the ternary secret key of a fresh 32-byte seed: n/16 words of 16 symbols, two bits each.
 * Constant time, except that the number of rejected symbols shows. */
void isopod_keygen_secret(uint32_t *ternary, const isopod_ckks_params *params,
                          const uint8_t seed[32]);

/* Writes the n residues of the mask of `seed` modulo one prime. *refill is 0 before the first prime
 * and passes on from prime to prime. For a ciphertext at a lower level, `params` is a copy of the
 * set with that prime_count. All data is public. */
void isopod_mask_expand(uint32_t *residues, const isopod_suite *suite, const uint8_t *seed,
                        const isopod_ckks_params *params, uint8_t prime, uint32_t *refill);

/* Expansion for sets of 64-bit primes, in 64-bit words. */
void isopod64_mask_expand(uint64_t *residues, const isopod_suite *suite, const uint8_t *seed,
                          const isopod_params *params, uint8_t prime, uint32_t *refill);

#ifdef __cplusplus
}
#endif

#endif
