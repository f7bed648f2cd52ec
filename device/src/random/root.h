/* Roots: the seeds of one ciphertext or key pair from one call of the entropy source (spec/ckks.md,
 * section 2). */
#ifndef ISOPOD_ROOT_H
#define ISOPOD_ROOT_H

#include "isopod/entropy.h"
#include "isopod/params.h"
#include "isopod/status.h"
#include "chacha20.h"
#include "keccak.h"
#include "sender.h"

/* A secret seed, in a type of its own so that no public seed can take its place. */
typedef struct {
    _Alignas(4) uint8_t bytes[32]; /* whole words, for hardware */
} isopod_noise_key;

/* The inputs of a root beside the entropy. */
typedef struct {
    isopod_entropy *entropy;
    const isopod_frame_name *name;
    const uint8_t *device_key; /* 32 bytes */
    const uint8_t *key_id;     /* 16 bytes */
    const uint8_t *set_id;
    const uint8_t *hedge; /* 16 bytes */
    uint8_t suite;
    uint8_t wire_kind;
} isopod_root_name;

/* A root in progress. Secret: the caller wipes it. */
typedef struct {
    isopod_keccak sponge;
    isopod_entropy *source;
    _Alignas(4) uint8_t entropy[ISOPOD_ENTROPY_BYTES];
} isopod_root_draft;

/* Takes entropy once; refuses it if all bytes are equal or the same as last time. Fails closed:
 * ISOPOD_ERROR_ENTROPY poisons the source. Secret: the caller wipes it. */
isopod_status isopod_root_take_entropy(isopod_entropy *source, uint8_t out[ISOPOD_ENTROPY_BYTES]);

/* Takes entropy so in less stack. Secret: the caller wipes the block, too. */
isopod_status isopod_root_take_entropy_in(uint32_t block[ISOPOD_CHACHA20_WORDS],
                                          isopod_entropy *source,
                                          uint8_t out[ISOPOD_ENTROPY_BYTES]);

/* Absorbs everything but the entropy. */
void isopod_root_prepare(isopod_root_draft *draft, const isopod_root_name *name);

/* Whether the source exists and is not poisoned. */
uint32_t isopod_entropy_is_usable(const isopod_entropy *source);

/* Takes the entropy, and leaves the sponge ready to give the root. The source stays poisoned until
 * the entropy is confirmed. Until then nothing derived from the root may leave the device.
 * ISOPOD_ERROR_ENTROPY if the source is poisoned, absent or fails. */
isopod_status isopod_root_draw(isopod_root_draft *draft);

/* Refuses bytes that are all equal, and the same bytes as last time. Fails closed:
 * ISOPOD_ERROR_ENTROPY leaves the source poisoned. */
isopod_status isopod_root_confirm(isopod_root_draft *draft);

/* Calls the three in order. Fails closed: ISOPOD_ERROR_ENTROPY poisons the source. */
isopod_status isopod_root_start(isopod_root_draft *draft, const isopod_root_name *name);

/* The seeds of a key pair. */
typedef struct {
    isopod_noise_key secret;
    isopod_noise_key noise;
    uint8_t mask_seed[32]; /* public */
} isopod_key_seeds;

/* Takes entropy once (spec/ckks.md, section 7); the caller wipes the seeds. On error, as above, the
 * seeds are zeros. */
isopod_status isopod_root_take_keys(isopod_entropy *source, const isopod_params *params,
                                    isopod_key_seeds *seeds);

#endif
