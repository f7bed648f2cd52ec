/* From one call of the entropy source to the seeds of one ciphertext (spec/ckks.md, section 2). */
#ifndef ISOPOD_ROOT_H
#define ISOPOD_ROOT_H

#include "isopod/encryption.h"
#include "keccak.h"

/* A public seed and a secret one can never take each other's place: they are different types. */
typedef struct {
    uint8_t bytes[32];
} isopod_noise_key;

/* What a root is bound to beside the entropy. */
typedef struct {
    isopod_entropy *entropy;
    const uint32_t *blob; /* of the key, whose key_id is at byte 24 */
    const uint8_t *set_id;
    uint8_t suite;
    uint8_t wire_kind;
} isopod_root_name;

/* Takes entropy and leaves the sponge ready to give the root; the caller wipes it. Fails closed:
 * ISOPOD_ERROR_ENTROPY poisons the source. */
isopod_status isopod_root_start(isopod_keccak *sponge, const isopod_root_name *name);

/* The root of a ciphertext of CKKS or BFV: fills context->mask_seed and context->nonce (public) and
 * the noise key (secret; the caller wipes it). Fails closed: ISOPOD_ERROR_ENTROPY poisons the
 * source. */
isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                               uint8_t wire_kind);

/* What a key pair is made from. */
typedef struct {
    isopod_noise_key secret;
    isopod_noise_key noise;
    uint8_t mask_seed[32]; /* public */
} isopod_key_seeds;

/* Takes entropy once (spec/ckks.md, section 7); the caller wipes the seeds. Errors as above; the
 * seeds are then zeros. */
isopod_status isopod_root_take_keys(isopod_entropy *source, const isopod_ckks_params *params,
                                    isopod_key_seeds *seeds);

#endif
