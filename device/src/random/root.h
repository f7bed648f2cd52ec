/* From one call of the entropy source to the seeds of one ciphertext or key pair (spec/ckks.md,
 * section 2). */
#ifndef ISOPOD_ROOT_H
#define ISOPOD_ROOT_H

#include "isopod/entropy.h"
#include "isopod/params.h"
#include "isopod/status.h"
#include "keccak.h"

/* A public seed and a secret one can never take each other's place: they are different types. */
typedef struct {
    _Alignas(4) uint8_t bytes[32]; /* whole words, for hardware */
} isopod_noise_key;

/* What a root is bound to beside the entropy. */
typedef struct {
    isopod_entropy *entropy;
    const uint8_t *key_id; /* 16 bytes */
    const uint8_t *set_id;
    uint8_t suite;
    uint8_t wire_kind;
} isopod_root_name;

/* A root in the making. Secret: the caller wipes it. */
typedef struct {
    isopod_keccak sponge;
    isopod_entropy *source;
    _Alignas(4) uint8_t entropy[ISOPOD_ENTROPY_BYTES];
} isopod_root_draft;

/* Everything but the entropy. */
void isopod_root_prepare(isopod_root_draft *draft, const isopod_root_name *name);

/* Takes the entropy and leaves the sponge ready to give the root. The source stays poisoned until
 * the entropy is confirmed, and before that nothing made of the root may leave the device.
 * ISOPOD_ERROR_ENTROPY if the source is poisoned, absent or fails. */
isopod_status isopod_root_draw(isopod_root_draft *draft);

/* Refuses one byte over and over and the same bytes as before. Fails closed:
 * ISOPOD_ERROR_ENTROPY leaves the source poisoned. */
isopod_status isopod_root_confirm(isopod_root_draft *draft);

/* The three in a row. Fails closed: ISOPOD_ERROR_ENTROPY poisons the source. */
isopod_status isopod_root_start(isopod_root_draft *draft, const isopod_root_name *name);

/* What a key pair is made from. */
typedef struct {
    isopod_noise_key secret;
    isopod_noise_key noise;
    uint8_t mask_seed[32]; /* public */
} isopod_key_seeds;

/* Takes entropy once (spec/ckks.md, section 7); the caller wipes the seeds. Errors as above; the
 * seeds are then zeros. */
isopod_status isopod_root_take_keys(isopod_entropy *source, const isopod_params *params,
                                    isopod_key_seeds *seeds);

#endif
