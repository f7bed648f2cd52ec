/* Validation of key blobs (spec/wire.md, section 5). */
#ifndef ISOPOD_BLOB_H
#define ISOPOD_BLOB_H

#include "limb.h"

/* ISOPOD_OK, or _PARAMETERS (also of a set of the other limb), _KEY_FORMAT, _KEY_SET. Constant time
 * with respect to the payload. */
isopod_status isopod_blob_check(const isopod_params *params, const uint32_t *blob, size_t bytes);

/* Bytes of the payload of a blob of this kind, 0 if there is no such kind. */
uint32_t isopod_blob_payload_bytes(const isopod_ckks_params *params, uint32_t kind);

#endif
