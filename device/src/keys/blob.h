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

/* Length in bytes of the payload of this kind; 0 for an unknown kind. */
uint32_t isopod_blob_payload_bytes(const isopod_ckks_params *params, uint32_t kind);

/* Parts of the check that all blobs share. */
uint32_t isopod_blob_has_magic(const uint32_t *blob, size_t bytes);
void isopod_blob_digest(uint8_t digest[ISOPOD_DIGEST_BYTES], const uint32_t *blob,
                        uint32_t payload);
uint32_t isopod_blob_has_valid_digest(const uint32_t *blob, uint32_t payload);
uint32_t isopod_blob_has_valid_residues(const uint32_t *residues, uint32_t count, uint32_t modulus);
uint32_t isopod_blob_has_valid_symbols(const uint32_t *symbols, uint32_t count);

#endif
