/* TFHE key blobs (spec/wire.md, section 5). A blob is validated once and then used in place,
 * usually from flash. Calls share nothing but their arguments. They only read what they open, so
 * any number of threads may use it. Stack: 1 KB on a Cortex-M4. */
#ifndef ISOPOD_TFHE_KEY_H
#define ISOPOD_TFHE_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/config.h"
#include "isopod/key.h"
#include "isopod/tfhe_params.h"

#ifdef __cplusplus
extern "C" {
#endif

struct isopod_tfhe_method;

/* An opened key. Members are private. The blob must stay in place, unchanged. */
typedef struct {
    const isopod_tfhe_params *params;
    const struct isopod_tfhe_method *method;
    const uint32_t *blob;
    const void *prepared; /* NULL, or the caller's memory */
    isopod_tfhe_key_kind kind;
} isopod_tfhe_key;

/* Public tables of one set, in flash (written by the generator) or built in memory. */
typedef struct {
    uint8_t set_id[ISOPOD_SET_ID_BYTES]; /* the set's; calls refuse tables of another */
    const int32_t *twiddles;             /* psi^brv(i) * 2^32 mod p, i < N, in (-p/2, p/2] */
} isopod_tfhe_tables;

#define ISOPOD_TFHE_PREPARED_BYTES(n) ((size_t)(n)*16u)

/* Opens a public key (plain or seeded) of set `params`; the blob is 4-byte aligned and its words
 * are little endian. Checks length and digest: about 100 instructions per byte, once. Errors:
 * ISOPOD_ERROR_KEY_FORMAT, _KEY_SET, _KEY_KIND, _PARAMETERS. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_public_key_open(isopod_tfhe_key *key,
                                                            const isopod_tfhe_params *params,
                                                            const uint32_t *blob, size_t bytes);

#if ISOPOD_ALLOW_DEVICE_SECRET_KEY
/* Opens a secret key, plain or transformed, in the same way, in constant time with respect to the
 * key; every residue or symbol is checked. Encryption under it is faster and sends the mask as its
 * seed, but the device can then decrypt: see SECURITY.md. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_secret_key_open(isopod_tfhe_key *key,
                                                            const isopod_tfhe_params *params,
                                                            const uint32_t *blob, size_t bytes);

/* Transforms an opened plain secret key once, into memory of ISOPOD_TFHE_PREPARED_BYTES, 8-byte
 * aligned. The memory stays with the key, and the caller wipes it. On machines with spare memory
 * encryption is then fastest, and needs the workspace of a transformed key. Constant time. Errors:
 * ISOPOD_ERROR_KEY_KIND, _TABLES, _WORKSPACE. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_key_prepare(isopod_tfhe_key *key,
                                                        const isopod_tfhe_tables *tables,
                                                        void *memory, size_t bytes);

/* Opens a plain secret key for encryption in the least memory: encryption then holds no mask and no
 * table, and its time grows with the number of coefficients. The ciphertext has the same bytes.
 * Errors: those of isopod_tfhe_secret_key_open. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_stream_key_open(isopod_tfhe_key *key,
                                                            const isopod_tfhe_params *params,
                                                            const uint32_t *blob, size_t bytes);
#endif

#ifdef __cplusplus
}
#endif

#endif
