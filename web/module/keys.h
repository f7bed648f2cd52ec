/* Making key pairs, and the checks of a public key that a host makes. */
#ifndef ISOPOD_WEB_KEYS_H
#define ISOPOD_WEB_KEYS_H

#include "entropy.h"
#include "isopod/key_pair.h"
#include "module.h"

/* One key pair in the making. */
typedef struct {
    isopod_key_pair_config config;
    isopod_workspace workspace;
    isopod_tables tables;
    isopod_entropy entropy;
    isopod_key_pair pair;
    given_bytes given;
    uint8_t key_id[ISOPOD_KEY_ID_BYTES];
} key_maker;

/* Makes the secret key of set `number` from 32 fresh bytes. *status says why NULL. */
key_maker *keys_begin(uint32_t number, uint8_t *entropy, int32_t *status);

/* The key_id of the pair, 16 bytes, once a blob was made. */
const uint8_t *keys_id(const key_maker *maker);

/* Bytes of a blob of the kinds 1 to 4; 0 for others. */
size_t keys_blob_bytes(uint32_t number, uint32_t kind);

/* Writes a blob of keys_blob_bytes, 8-byte aligned. A seeded public one comes first: it names the
 * pair. */
int32_t keys_blob(key_maker *maker, uint32_t number, uint32_t kind, void *blob);

/* Wipes the pair. */
void keys_close(key_maker *maker);

/* The key_id that a public blob of kind 1 or 2 has by its content. */
int32_t keys_identify(uint32_t number, uint32_t kind, const void *payload, uint8_t *key_id);

/* The n residues of the mask of a seed modulo prime number `prime`, in words of the set; *refill is
 * 0 before the first and carried on. */
int32_t keys_mask(uint32_t number, uint32_t prime, const uint8_t *seed, void *residues,
                  uint32_t *refill);

#endif
