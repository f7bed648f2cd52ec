/* Validation of key blobs (spec/wire.md, section 5). */
#ifndef ISOPOD_BLOB_H
#define ISOPOD_BLOB_H

#include <stddef.h>

#include "isopod/key.h"

#include "../base/word.h"

/* Checks a blob: ISOPOD_OK, or ISOPOD_ERROR_PARAMETERS (also for a set of the other word size),
 * _KEY_FORMAT, _KEY_SET. Constant time with respect to the payload; parts of it stay on the
 * stack. */
isopod_status isopod_blob_check(const isopod_params *params, const uint32_t *blob, size_t bytes);

/* Checks header and length alone, of a set that is valid and of this word size. Errors:
 * ISOPOD_ERROR_KEY_FORMAT, _KEY_SET. */
isopod_status isopod_blob_check_header(const isopod_params *params, const uint32_t *blob,
                                       size_t bytes);

/* Length in bytes of the payload of this kind; 0 for an unknown kind. */
uint32_t isopod_blob_payload_bytes(const isopod_ckks_params *params, uint32_t kind);

/* 32-bit words of a payload before its residues: in public keys the seed, and where they are split
 * the digest of each prime's pk0. */
static inline uint32_t isopod_blob_head_words(const isopod_params *params, uint32_t kind) {
    uint32_t is_split = kind >= ISOPOD_KEY_PUBLIC_PRIME;
    if (!is_split && kind > ISOPOD_KEY_PUBLIC_SEEDED) {
        return 0;
    }
    return (ISOPOD_MASK_SEED_BYTES + (is_split ? params->prime_count * ISOPOD_DIGEST_BYTES : 0)) /
           4u;
}

/* The residues of a blob. */
static inline const isopod_residue *isopod_blob_residues(const isopod_params *params,
                                                         const uint32_t *blob) {
    uint32_t kind = blob[ISOPOD_KEY_WORD_KIND];
    return (const void *)(blob + ISOPOD_KEY_HEADER_BYTES / 4u +
                          isopod_blob_head_words(params, kind));
}

/* Parts of the check that all blobs share. */
uint32_t isopod_blob_has_magic(const uint32_t *blob, size_t bytes);
void isopod_blob_digest(uint8_t digest[ISOPOD_DIGEST_BYTES], const uint32_t *blob,
                        uint32_t payload);
uint32_t isopod_blob_has_valid_digest(const uint32_t *blob, uint32_t payload);
uint32_t isopod_blob_has_valid_residues(const uint32_t *residues, uint32_t count, uint32_t modulus);
uint32_t isopod_blob_has_valid_symbols(const uint32_t *symbols, uint32_t count);

#endif
