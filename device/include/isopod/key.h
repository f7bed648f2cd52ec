/* Key blobs (spec/wire.md, section 5). A blob is validated once and then used in place, usually
 * from flash. Calls share nothing but their arguments. They only read what they open, so any number
 * of threads may use it. Stack: 1 KB on a Cortex-M4. */
#ifndef ISOPOD_KEY_H
#define ISOPOD_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/config.h"
#include "isopod/params.h"
#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isopod_encryption_method;

/* An opened key. Members are private. The blob must stay in place, unchanged. */
typedef struct {
    const isopod_params *params;
    const struct isopod_encryption_method *method;
    const uint32_t *blob;
    isopod_key_kind kind;
} isopod_key;

/* Opens a public key (plain or seeded) of the set of 32-bit primes `params`; the blob's words are
 * little endian. Checks length, digest and every residue: about 100 instructions per byte, once.
 * Errors: ISOPOD_ERROR_KEY_FORMAT, _KEY_SET, _KEY_KIND, _PARAMETERS. */
ISOPOD_MUST_CHECK isopod_status isopod_public_key_open(isopod_key *key, const isopod_params *params,
                                                       const uint32_t *blob, size_t bytes);

/* isopod_public_key_open for a set of 64-bit primes; the blob is 8-byte aligned. */
ISOPOD_MUST_CHECK isopod_status isopod64_public_key_open(isopod_key *key,
                                                         const isopod_params *params,
                                                         const uint64_t *blob, size_t bytes);

#if ISOPOD_ALLOW_DEVICE_SECRET_KEY
/* Opens a secret key (ternary or NTT form) in the same way, in constant time with respect to the
 * key. Encryption under it takes half the bytes and half the time, but the device can then decrypt:
 * see SECURITY.md. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_secret_key_open(isopod_key *key, const isopod_params *params,
                                                       const uint32_t *blob, size_t bytes);

/* isopod_secret_key_open for a set of 64-bit primes; the blob is 8-byte aligned. */
ISOPOD_MUST_CHECK isopod_status isopod64_secret_key_open(isopod_key *key,
                                                         const isopod_params *params,
                                                         const uint64_t *blob, size_t bytes);

/* Opens a secret key for decryption (isopod/decrypt.h) only, in the same way: encryption is then
 * not linked, and encryption under this key is refused. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_decryption_key_open(isopod_key *key,
                                                           const isopod_params *params,
                                                           const uint32_t *blob, size_t bytes);

/* isopod_decryption_key_open for a set of 64-bit primes; the blob is 8-byte aligned. */
ISOPOD_MUST_CHECK isopod_status isopod64_decryption_key_open(isopod_key *key,
                                                             const isopod_params *params,
                                                             const uint64_t *blob, size_t bytes);
#endif

#ifdef __cplusplus
}
#endif

#endif
