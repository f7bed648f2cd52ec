/* The calls that make key pairs, for sets of either word size. */
#ifndef ISOPOD_TEST_KEY_CALLS_H
#define ISOPOD_TEST_KEY_CALLS_H

#include "../../src/keys/key_pair.h"

typedef struct {
    size_t (*workspace_bytes)(uint32_t n, uint8_t chunks);
    isopod_status (*begin)(isopod_key_pair *pair, const isopod_key_pair_config *config,
                           const isopod_workspace *workspace, isopod_entropy *entropy);
    void (*start)(isopod_key_pair *pair, const isopod_key_pair_config *config,
                  const isopod_workspace *workspace, const isopod_key_seeds *seeds);
    isopod_status (*payload)(isopod_key_pair *pair, isopod_key_kind kind);
    isopod_status (*next)(isopod_key_pair *pair, uint8_t *out, size_t capacity,
                          isopod_key_piece *piece);
    void (*close)(isopod_key_pair *pair);
    /* The key_id that follows from the payload of a public blob, and a blob's header. */
    isopod_status (*identify)(uint8_t key_id[ISOPOD_KEY_ID_BYTES], const isopod_key_pair *pair,
                              const uint32_t *blob);
    isopod_status (*head)(uint32_t *blob, const isopod_key_pair *pair, const uint8_t *key_id);
    /* The digest of one prime's pk0. */
    void (*digest)(uint8_t digest[ISOPOD_DIGEST_BYTES], const isopod_params *params,
                   const uint32_t *residues, uint32_t prime);
} key_calls;

extern const key_calls key_calls32, key_calls64;

/* The calls for a set. */
const key_calls *key_calls_of(const isopod_params *params);

/* Bytes of a payload of one of the four kinds. */
uint32_t key_payload_bytes(const isopod_params *params, isopod_key_kind kind);

/* Collects a payload of the pair behind the header of a blob, in pieces of up to `capacity` bytes,
 * every byte once. Memory from check_memory, given back. */
void key_payload(isopod_key_pair *pair, isopod_key_kind kind, uint32_t *blob, size_t capacity);

#endif
