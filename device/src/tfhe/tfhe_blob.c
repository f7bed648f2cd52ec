/* Validation of TFHE key blobs (spec/wire.md, section 5): header, length, digest, and every symbol
 * or residue of a secret. Constant time with respect to the payload. */
#include "tfhe_blob.h"

#include "../keys/blob.h"
#include "../base/constant_time.h"
#include "../base/memory.h"
#include "tfhe_parameters.h"

uint32_t isopod_tfhe_payload_bytes(const isopod_tfhe_params *params, uint32_t kind) {
    uint32_t n = isopod_tfhe_degree(params), polynomial = n * isopod_tfhe_word_bytes(params);
    switch (kind) {
    case ISOPOD_TFHE_KEY_PUBLIC:
        return 2u * polynomial;
    case ISOPOD_TFHE_KEY_PUBLIC_SEEDED:
        return ISOPOD_MASK_SEED_BYTES + polynomial;
    case ISOPOD_TFHE_KEY_SECRET:
        return isopod_tfhe_secret_bytes(params);
    case ISOPOD_TFHE_KEY_SECRET_TRANSFORMED:
        return 4u * n;
    default:
        return 0;
    }
}

/*@ requires (tables == \null || \valid_read(tables)) && \valid_read(params);
    assigns \nothing;
    ensures \result != 0 ==> tables != \null; */
ISOPOD_SMALL uint32_t isopod_tfhe_tables_fit(const isopod_tfhe_tables *tables,
                                             const isopod_tfhe_params *params) {
    return tables != NULL && isopod_equal(tables->set_id, params->set_id, sizeof params->set_id);
}

static uint32_t is_valid_payload(const isopod_tfhe_params *params, const uint32_t *blob) {
    const uint32_t *payload = blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t n = isopod_tfhe_degree(params);
    if (blob[ISOPOD_KEY_WORD_KIND] == ISOPOD_TFHE_KEY_SECRET_TRANSFORMED) {
        return isopod_blob_has_valid_residues(payload, n, params->prime->modulus);
    }
    if (blob[ISOPOD_KEY_WORD_KIND] == ISOPOD_TFHE_KEY_SECRET &&
        params->secret == ISOPOD_SECRET_TERNARY) {
        return isopod_blob_has_valid_symbols(payload, n);
    }
    return 1;
}

static isopod_status check_header(const isopod_tfhe_params *params, const uint32_t *blob,
                                  size_t bytes) {
    if (!isopod_blob_has_magic(blob, bytes)) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    if (!isopod_equal((const uint8_t *)(blob + ISOPOD_KEY_WORD_SET_ID), params->set_id,
                      ISOPOD_SET_ID_BYTES)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    uint32_t payload = isopod_tfhe_payload_bytes(params, blob[ISOPOD_KEY_WORD_KIND]);
    if (payload == 0 || blob[ISOPOD_KEY_WORD_RING_DEGREE] != isopod_tfhe_degree(params) ||
        blob[ISOPOD_KEY_WORD_PRIMES] != 0 || blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] != payload ||
        bytes != (size_t)payload + ISOPOD_KEY_HEADER_BYTES) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    return ISOPOD_OK;
}

ISOPOD_FRAME_APART static isopod_status check(const isopod_tfhe_params *params,
                                              const uint32_t *blob, size_t bytes) {
    isopod_status status = isopod_tfhe_parameters_check(params);
    if (status == ISOPOD_OK) {
        status = check_header(params, blob, bytes);
    }
    if (status == ISOPOD_OK &&
        (!isopod_blob_has_valid_digest(blob, blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES]) ||
         !is_valid_payload(params, blob))) {
        status = ISOPOD_ERROR_KEY_FORMAT;
    }
    return status;
}

ISOPOD_SMALL isopod_status isopod_tfhe_key_open(isopod_tfhe_key *key,
                                                const isopod_tfhe_opening *opening,
                                                const isopod_tfhe_params *params,
                                                const uint32_t *blob, size_t bytes) {
    isopod_status status = check(params, blob, bytes);
    isopod_wipe_stack();
    uint32_t kind = status == ISOPOD_OK ? blob[ISOPOD_KEY_WORD_KIND] : 0;
    if (status == ISOPOD_OK && kind != opening->first && kind != opening->second) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK) {
        isopod_tfhe_key opened = {params, opening->method, blob, NULL, (isopod_tfhe_key_kind)kind};
        *key = opened;
    } else {
        isopod_wipe(key, sizeof *key);
    }
    return status;
}
