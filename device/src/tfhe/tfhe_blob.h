/* Validation of TFHE key blobs (spec/wire.md, section 5). */
#ifndef ISOPOD_TFHE_BLOB_H
#define ISOPOD_TFHE_BLOB_H

#include "isopod/tfhe_key.h"

/* The kinds of blob that a method takes. */
typedef struct {
    const struct isopod_tfhe_method *method;
    isopod_tfhe_key_kind first;
    isopod_tfhe_key_kind second;
} isopod_tfhe_opening;

/* Checks the blob and opens it, or wipes *key. Constant time with respect to the payload. */
isopod_status isopod_tfhe_key_open(isopod_tfhe_key *key, const isopod_tfhe_opening *opening,
                                   const isopod_tfhe_params *params, const uint32_t *blob,
                                   size_t bytes);

/* Whether these are tables of the set. */
uint32_t isopod_tfhe_tables_fit(const isopod_tfhe_tables *tables, const isopod_tfhe_params *params);

/* Length in bytes of the payload; 0 for an unknown kind. */
uint32_t isopod_tfhe_payload_bytes(const isopod_tfhe_params *params, uint32_t kind);

static inline const uint8_t *isopod_tfhe_key_id(const isopod_tfhe_key *key) {
    return (const uint8_t *)key->blob + ISOPOD_KEY_OFFSET_KEY_ID;
}

#endif
