/* Key pairs (spec/ckks.md, section 6), prime by prime. Runs where keys are made: on a host, or on a
 * device with the memory. */
#ifndef ISOPOD_KEYGEN_H
#define ISOPOD_KEYGEN_H

#include <stdint.h>

#include "isopod/ckks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a key pair is made from. All pointers are to 32 bytes but `ternary`, n/16 words. */
typedef struct {
    const isopod_ckks_params *params;
    const isopod_ckks_tables *tables;
    const uint8_t *mask_seed; /* public: expands to pk1 under the ChaCha20 suite */
    const uint8_t *noise_key; /* secret, fresh, wiped by the caller */
    const uint32_t *ternary;  /* the secret key, 2 bits per coefficient (value + 1) */
} isopod_keygen;

/* Writes n/16 words: the ternary secret key of a fresh 32-byte seed. */
void isopod_keygen_secret(uint32_t *ternary, const isopod_ckks_params *params,
                          const uint8_t seed[32]);

/* Of narrow sets. Writes n canonical residues of -NTT(s) in Montgomery form. Constant time. */
void isopod_keygen_secret_ntt(uint32_t *residues, const isopod_keygen *keygen, uint8_t prime);

/* Writes n canonical residues of pk0; `scratch` holds 4n + n bytes, wiped before return. Constant
 * time. */
void isopod_keygen_public(uint32_t *residues, const isopod_keygen *keygen, uint8_t prime,
                          uint32_t *scratch);

/* Writes the n residues of the mask that `seed` stands for, for one prime. *refill is 0 before the
 * first prime and carried from each to the next. Of a ciphertext at a lower level, `params` is a
 * copy of the set with that prime_count. Public. */
void isopod_mask_expand(uint32_t *residues, const isopod_suite *suite, const uint8_t *seed,
                        const isopod_ckks_params *params, uint8_t prime, uint32_t *refill);

/* The same of wide sets, in 64-bit words; isopod_keygen_secret serves both. */
void isopod_wide_keygen_secret_ntt(uint64_t *residues, const isopod_keygen *keygen, uint8_t prime);
/* `scratch` holds 8n + n bytes. */
void isopod_wide_keygen_public(uint64_t *residues, const isopod_keygen *keygen, uint8_t prime,
                               uint64_t *scratch);
void isopod_wide_mask_expand(uint64_t *residues, const isopod_suite *suite, const uint8_t *seed,
                             const isopod_params *params, uint8_t prime, uint32_t *refill);

#ifdef __cplusplus
}
#endif

#endif
