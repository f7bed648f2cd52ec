/* Validation of key blobs (spec/wire.md, section 5). */
#ifndef ISOPOD_BLOB_H
#define ISOPOD_BLOB_H

#include <stddef.h>

#include "isopod/key.h"

#include "../base/word.h"

/* ISOPOD_OK, or _PARAMETERS (also of a set of the other word), _KEY_FORMAT, _KEY_SET. Constant time
 * with respect to the payload, of which a copy stays on the stack. */
isopod_status isopod_blob_check(const isopod_params *params, const uint32_t *blob, size_t bytes);

/* Bytes of the payload of a blob of this kind, 0 if there is no such kind. */
uint32_t isopod_blob_payload_bytes(const isopod_ckks_params *params, uint32_t kind);

/* Parts of that check, which all blobs share. */
uint32_t isopod_blob_has_magic(const uint32_t *blob, size_t bytes);
void isopod_blob_digest(uint8_t digest[ISOPOD_DIGEST_BYTES], const uint32_t *blob,
                        uint32_t payload);
uint32_t isopod_blob_has_valid_digest(const uint32_t *blob, uint32_t payload);
uint32_t isopod_blob_has_valid_residues(const uint32_t *residues, uint32_t count, uint32_t modulus);
uint32_t isopod_blob_has_valid_symbols(const uint32_t *symbols, uint32_t count);

#endif
