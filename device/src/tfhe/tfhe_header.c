/* The header of a TFHE frame, from configuration and context. */
#include "tfhe_header.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "tfhe_blob.h"
#include "tfhe_method.h"

static uint8_t *write_schema(uint8_t *at, const isopod_tfhe *tfhe) {
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, 2u * tfhe->runs);
    for (uint32_t r = 0; r < tfhe->runs; r++) {
        const uint64_t run[2] = {tfhe->types[r], tfhe->counts[r]};
        at = isopod_cbor_numbers(at, run, 2);
    }
    return at;
}

ISOPOD_SMALL uint8_t *isopod_tfhe_fields(uint8_t *out, const isopod_tfhe *tfhe) {
    const isopod_tfhe_config *config = tfhe->config;
    const isopod_frame_name *name = &tfhe->name;
    const uint64_t first[3] = {ISOPOD_WIRE_VERSION, config->key->method->wire_kind,
                               config->suite->id};
    const uint64_t numbers[3] = {name->device, name->epoch, name->sequence};
    uint8_t *at = isopod_cbor_head(out, ISOPOD_CBOR_ARRAY, ISOPOD_TFHE_FRAME_FIELDS);
    at = isopod_cbor_numbers(at, first, 3);
    at = isopod_cbor_bytes(at, isopod_tfhe_key_id(config->key), ISOPOD_KEY_ID_BYTES);
    at = isopod_cbor_numbers(at, numbers, 3);
    at = isopod_cbor_bytes(at, tfhe->nonce, ISOPOD_NONCE_BYTES);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, isopod_tfhe_width(config));
    at = write_schema(at, tfhe);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, isopod_tfhe_columns(tfhe));
    return isopod_cbor_bytes(at, config->packing,
                             config->packing != NULL ? ISOPOD_PACKING_BYTES : 0);
}
