/* Public keys for boards that cannot hold a whole key: one blob for each prime (spec/wire.md,
 * section 5), loaded when the encryption reaches that prime. An encryption reads the key once, in
 * order. A split key serves one encryption at a time, and therefore one thread. */
#ifndef ISOPOD_SPLIT_KEY_H
#define ISOPOD_SPLIT_KEY_H

#include "isopod/key.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a blob, compile-time: n ring degree; k primes of the set; seeded 1 if pk1 is expanded
 * from its seed. The first is for sets of 32-bit primes, the second for sets of 64-bit primes. */
#define ISOPOD_SPLIT_KEY_BYTES(n, k, seeded)                                                       \
    (ISOPOD_SPLIT_KEY_HEAD_BYTES(k) + (size_t)(n) * ((seeded) ? 4u : 8u))
#define ISOPOD64_SPLIT_KEY_BYTES(n, k, seeded)                                                     \
    (ISOPOD_SPLIT_KEY_HEAD_BYTES(k) + (size_t)(n) * ((seeded) ? 8u : 16u))
/* Header, seed, and the digest of each prime's pk0. */
#define ISOPOD_SPLIT_KEY_HEAD_BYTES(k)                                                             \
    (ISOPOD_KEY_HEADER_BYTES + ISOPOD_MASK_SEED_BYTES + (size_t)(k)*ISOPOD_DIGEST_BYTES)

/* The source of the blobs, and the memory that holds one. */
typedef struct {
    /* Fills `blob` with the blob of data prime number `prime`. Returns 0; any other value ends the
     * encryption. */
    int (*load)(void *state, uint8_t prime, void *blob, size_t bytes);
    void *state;
    uint32_t *blob; /* 4-byte aligned, in a set of 64-bit primes 8-byte; only `load` writes to it
                       meanwhile */
    size_t bytes;   /* exactly the length of a blob */
} isopod_key_loader;

/* An opened split key; &split.key is what a configuration takes. Members are private. */
typedef struct {
    isopod_key key;
    isopod_key_loader loader;
    uint8_t header[40]; /* what all blobs of the key have in common */
} isopod_split_key;

/* Loads and opens the blob of the first prime. When a prime begins, isopod_encryption_next loads
 * its blob and checks length, digest and residues as isopod_public_key_open does. It also checks
 * that seed, digests, pk0 and pk1 are those that the key_id names, so that a loader cannot bring
 * even a forged part of another key. This takes about 200 instructions per byte, each time. If it
 * fails, its status is the loader's error, and workspace, context and blob are wiped; the key stays
 * open for the next encryption. On error *split and the blob are wiped. Errors: those of
 * isopod_public_key_open, ISOPOD_ERROR_KEY_LOAD. */
ISOPOD_MUST_CHECK isopod_status isopod_split_key_open(isopod_split_key *split,
                                                      const isopod_params *params,
                                                      const isopod_key_loader *loader);

/* isopod_split_key_open for a set of 64-bit primes. */
ISOPOD_MUST_CHECK isopod_status isopod64_split_key_open(isopod_split_key *split,
                                                        const isopod_params *params,
                                                        const isopod_key_loader *loader);

#ifdef __cplusplus
}
#endif

#endif
