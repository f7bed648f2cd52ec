/* TFHE keys made on the device or on a host (spec/tfhe.md, section 5), as blobs. Calls share
 * nothing but their arguments. Stack: 1 KB on a Cortex-M4. */
#ifndef ISOPOD_TFHE_KEYGEN_H
#define ISOPOD_TFHE_KEYGEN_H

#include "isopod/entropy.h"
#include "isopod/tfhe_key.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Length of a key blob in bytes; 0 for an unknown kind. */
size_t isopod_tfhe_blob_bytes(const isopod_tfhe_params *params, isopod_tfhe_key_kind kind);

/* The inputs of key generation. */
typedef struct {
    const isopod_tfhe_params *params;
    const isopod_tfhe_tables *tables;
    const uint8_t *mask_seed; /* public, 32 bytes, fresh: expands to p0 */
    const uint8_t *noise_key; /* secret, 32 bytes, fresh; wiped by the caller */
    const uint32_t *secret;   /* payload of a plain secret blob */
    void *workspace;          /* ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE, 8-byte aligned; wiped */
} isopod_tfhe_keygen;

/* Writes the payload of a plain secret blob (N/8 or N/4 bytes) of a fresh 32-byte seed. */
void isopod_tfhe_keygen_secret(uint32_t *secret, const isopod_tfhe_params *params,
                               const uint8_t seed[32]);

/* Writes the pair's key_id, and a blob that contains it: isopod_tfhe_blob_bytes bytes, 8-byte
 * aligned. Constant time. Errors: ISOPOD_ERROR_PARAMETERS, _TABLES, _KEY_KIND. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_keygen_blob(uint32_t *blob,
                                                        const isopod_tfhe_keygen *keygen,
                                                        isopod_tfhe_key_kind kind);

#ifdef __cplusplus
}
#endif

#endif
