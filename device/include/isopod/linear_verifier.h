/* Verification of results by their linear tags (spec/verify.md, section 6): for an owner who reads
 * sums on a device. Name a verifier in the configuration of a decryption (isopod/decrypt.h): the
 * values of a result are then given only if its tag proves that they are the sum of just the frames
 * that its manifest names. Names are read where they lie, so their number costs time and no memory:
 * a ChaCha20 block for eight frames, and for each device three hashes and one for each period.
 *
 * Acceptance betrays the key to whoever sees it often. So a caller counts ISOPOD_ERROR_UNPROVED in
 * memory that survives, before anything else, tells no sender of it, and opens no verifier of a
 * period after ISOPOD_LINEAR_REFUSALS of them.
 *
 * Constant time with respect to keys and values, on cores that multiply in constant time. Stack: 1
 * KB on a Cortex-M4. */
#ifndef ISOPOD_LINEAR_VERIFIER_H
#define ISOPOD_LINEAR_VERIFIER_H

#include <stdint.h>

#include "isopod/key.h"
#include "isopod/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Refusals that end a period. */
#define ISOPOD_LINEAR_REFUSALS 64u

/* The owner's keys of one group in one period. Members are private. It is only read. Secret. */
typedef struct isopod_linear_proof isopod_linear_proof;
typedef struct {
    const isopod_linear_proof *method;
    uint32_t period;
    uint8_t master[ISOPOD_LINEAR_SECRET_BYTES];
    uint8_t group[ISOPOD_LINEAR_SECRET_BYTES];
} isopod_linear_verifier;

/* Derives the keys from the owner's secret key, which is open: two hashes, and one for each period.
 * Errors: ISOPOD_ERROR_KEY_KIND for a key that is not ternary; *verifier is then
 * zeroed. */
ISOPOD_MUST_CHECK isopod_status isopod_linear_verifier_open(isopod_linear_verifier *verifier,
                                                            const isopod_key *key, uint32_t group,
                                                            uint32_t period);

#ifdef __cplusplus
}
#endif

#endif
