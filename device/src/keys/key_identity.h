/* The name of a key pair (spec/wire.md, section 5). Everything here is public. */
#ifndef ISOPOD_KEY_IDENTITY_H
#define ISOPOD_KEY_IDENTITY_H

#include "isopod/params.h"
#include "../base/word.h"

/* P_j of prime number `prime`: the digest of its pk0, n residues in Montgomery form. */
void isopod_key_digest(uint8_t digest[ISOPOD_DIGEST_BYTES], const isopod_params *params,
                       const isopod_residue *residues, uint32_t prime);

/* The key_id of a seed and the digests P_j behind it. */
void isopod_key_id_of(uint8_t key_id[ISOPOD_KEY_ID_BYTES], const isopod_params *params,
                      const uint8_t *head);

#endif
