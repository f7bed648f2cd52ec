/* Key pairs made on the device (spec/ckks.md, section 7), prime by prime and chunk by chunk. The
 * payloads of the blobs leave in pieces, in any order of kinds; the header is computed at the end
 * from the stored payload. Constant time with respect to key and noise. Each thread needs a pair, a
 * workspace and an entropy source of its own. Stack: 1 KB on a Cortex-M4, 1.5 KB with 64-bit
 * primes. */
#ifndef ISOPOD_KEY_PAIR_H
#define ISOPOD_KEY_PAIR_H

#include "isopod/entropy.h"
#include "isopod/keygen.h"
#include "isopod/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace bytes, compile-time: n ring degree; chunks 1, 2, 4 or 8. Secret key n/4, noise n, two
 * chunks of 4n/chunks. */
#define ISOPOD_KEY_PAIR_WORKSPACE(n, chunks)                                                       \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n)*5u / 4u + (size_t)(n)*8u / (chunks))
/* Workspace bytes for sets of 64-bit primes, whose chunks take twice the bytes. */
#define ISOPOD64_KEY_PAIR_WORKSPACE(n, chunks)                                                     \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n)*5u / 4u + (size_t)(n)*16u / (chunks))

/* The inputs of a key pair. It is only read: it may be const, in flash, and shared. */
typedef struct {
    const isopod_ckks_params *params;
    const isopod_ckks_tables *tables;
    uint8_t chunks; /* 1, 2, 4 or 8; more take less memory and more time, for the same bytes */
} isopod_key_pair_config;

/* A key pair in progress. Members are private except mask_seed, which is public; about 70 bytes on
 * a 32-bit machine. */
typedef struct {
    const isopod_key_pair_config *config;
    const isopod_workspace *workspace;
    const uint8_t *piece; /* bytes not yet taken */
    uint32_t pending;
    uint32_t offset; /* place of the piece in the payload */
    uint32_t refill;
    isopod_key_kind kind;
    uint8_t prime;
    uint8_t chunk;
    uint8_t step; /* step within a chunk */
    uint8_t state;
    uint8_t mask_seed[32];
} isopod_key_pair;

/* Bytes of a payload and their offset in it. Bytes of pk1 come before bytes of pk0. */
typedef struct {
    uint32_t offset;
    uint32_t length;
} isopod_key_piece;

/* Takes entropy once and makes the secret key, which stays in the workspace until the pair is
 * closed; the caller keeps it in place. On error the workspace is wiped. Errors:
 * ISOPOD_ERROR_PARAMETERS, _TABLES, _CHUNKS, _WORKSPACE, _ENTROPY. */
ISOPOD_MUST_CHECK isopod_status isopod_key_pair_begin(isopod_key_pair *pair,
                                                      const isopod_key_pair_config *config,
                                                      const isopod_workspace *workspace,
                                                      isopod_entropy *entropy);

/* Starts a payload of this pair, of any kind; may be called again for another. Errors:
 * ISOPOD_ERROR_STATE, _KEY_KIND. */
ISOPOD_MUST_CHECK isopod_status isopod_key_pair_payload(isopod_key_pair *pair,
                                                        isopod_key_kind kind);

/* Writes the next 1..capacity bytes of the payload. ISOPOD_DONE after the last, length 0. Errors:
 * ISOPOD_ERROR_STATE, _CAPACITY. */
ISOPOD_MUST_CHECK isopod_status isopod_key_pair_next(isopod_key_pair *pair, uint8_t *out,
                                                     size_t capacity, isopod_key_piece *piece);

/* Wipes workspace and pair, and with them the secret key. Harmless at any time after begin. */
void isopod_key_pair_close(isopod_key_pair *pair);

/* Computes the key_id of the pair with this public payload, plain or seeded, in about 75
 * instructions per byte. Errors: ISOPOD_ERROR_KEY_KIND. */
ISOPOD_MUST_CHECK isopod_status isopod_key_identify(uint8_t key_id[ISOPOD_KEY_ID_BYTES],
                                                    const isopod_ckks_params *params,
                                                    isopod_key_kind kind, const uint32_t *payload);

/* Makes the header of a blob from its payload, which is read in place: one SHA3-256, about 75
 * instructions per byte. Errors: ISOPOD_ERROR_KEY_KIND. */
ISOPOD_MUST_CHECK isopod_status isopod_key_header(uint8_t header[ISOPOD_KEY_HEADER_BYTES],
                                                  const isopod_ckks_params *params,
                                                  isopod_key_kind kind, const uint32_t *payload,
                                                  const uint8_t key_id[ISOPOD_KEY_ID_BYTES]);

/* Key pairs of sets of 64-bit primes (spec/params.toml: a prime of 2^30 or more), whose residues
 * are 64-bit words. Each family refuses sets of the other with ISOPOD_ERROR_PARAMETERS. */
ISOPOD_MUST_CHECK isopod_status isopod64_key_pair_begin(isopod_key_pair *pair,
                                                        const isopod_key_pair_config *config,
                                                        const isopod_workspace *workspace,
                                                        isopod_entropy *entropy);
ISOPOD_MUST_CHECK isopod_status isopod64_key_pair_payload(isopod_key_pair *pair,
                                                          isopod_key_kind kind);
ISOPOD_MUST_CHECK isopod_status isopod64_key_pair_next(isopod_key_pair *pair, uint8_t *out,
                                                       size_t capacity, isopod_key_piece *piece);
void isopod64_key_pair_close(isopod_key_pair *pair);
ISOPOD_MUST_CHECK isopod_status isopod64_key_identify(uint8_t key_id[ISOPOD_KEY_ID_BYTES],
                                                      const isopod_params *params,
                                                      isopod_key_kind kind,
                                                      const uint64_t *payload);
ISOPOD_MUST_CHECK isopod_status isopod64_key_header(uint8_t header[ISOPOD_KEY_HEADER_BYTES],
                                                    const isopod_params *params,
                                                    isopod_key_kind kind, const uint64_t *payload,
                                                    const uint8_t key_id[ISOPOD_KEY_ID_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
