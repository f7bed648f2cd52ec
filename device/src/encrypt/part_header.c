/* The header of a part, from configuration, context and shape. */
#include "part_header.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "method.h"

static uint8_t *write_origin(uint8_t *at, const isopod_encryption *encryption) {
    const isopod_encryption_config *config = encryption->config;
    const isopod_frame_name *name = &encryption->name;
    const uint64_t first[2] = {ISOPOD_WIRE_VERSION, isopod_encryption_kind(encryption)};
    const uint64_t numbers[3] = {name->device, name->epoch, name->sequence};
    at = isopod_cbor_head(at, ISOPOD_CBOR_ARRAY, ISOPOD_PART_FIELDS);
    at = isopod_cbor_numbers(at, first, 2);
    at = isopod_cbor_bytes(at, config->params->set_id, sizeof config->params->set_id);
    at = isopod_cbor_head(at, ISOPOD_CBOR_UNSIGNED, config->suite->id);
    at = isopod_cbor_bytes(at, (const uint8_t *)config->key->blob + ISOPOD_KEY_OFFSET_KEY_ID,
                           ISOPOD_KEY_ID_BYTES);
    at = isopod_cbor_numbers(at, numbers, 3);
    return isopod_cbor_bytes(at, encryption->nonce, ISOPOD_NONCE_BYTES);
}

uint8_t *isopod_part_fields(uint8_t *out, const isopod_encryption *encryption,
                            const isopod_part_shape *shape) {
    const isopod_encryption_config *config = encryption->config;
    const uint64_t place[6] = {shape->part,       isopod_encryption_level(config),
                               shape->interleave, config->log2_scale,
                               encryption->count, encryption->scheme->layout(config)};
    const uint64_t rows[2] = {shape->stride, isopod_encryption_buckets(encryption)};
    uint8_t *at = isopod_cbor_numbers(write_origin(out, encryption), place, 6);
    at = isopod_cbor_integer(at, encryption->scheme->bound(config));
    at = isopod_cbor_numbers(at, rows, 2);
    at = isopod_cbor_bytes(at, config->packing, config->packing != NULL ? ISOPOD_PACKING_BYTES : 0);
    const uint64_t rounding[3] = {shape->rounding[0], shape->rounding[1], shape->rounding[2]};
    return isopod_cbor_numbers(at, rounding, 3);
}

uint8_t *isopod_part_header(uint8_t *out, const isopod_encryption *encryption,
                            const isopod_part_shape *shape) {
    const isopod_encryption_config *config = encryption->config;
    uint32_t is_public = config->key->method->components == 2;
    uint8_t *at = isopod_part_fields(out, encryption, shape);
    at = isopod_cbor_bytes(at, encryption->mask_seed,
                           is_public ? 0 : config->suite->mask_seed_bytes);
    return isopod_cbor_head(at, ISOPOD_CBOR_BYTES, shape->bytes);
}
