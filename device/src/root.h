/* From one call of the entropy source to the seeds of one ciphertext (spec/ckks.md, section 2). */
#ifndef ISOPOD_ROOT_H
#define ISOPOD_ROOT_H

#include "isopod/encryption.h"

/* A public seed and a secret one can never take each other's place: they are different types. */
typedef struct {
    uint8_t bytes[32];
} isopod_noise_key;

/* Fills context->mask_seed and context->nonce (public) and the noise key (secret; the caller wipes
 * it). Fails closed: ISOPOD_ERROR_ENTROPY poisons the source. */
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
