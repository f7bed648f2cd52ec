/* The root of a ciphertext (spec/ckks.md, section 2): its inputs from configuration and values, and
 * mask seed, noise key and nonce from the sponge. */
#include "method.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../tag/hedge.h"

ISOPOD_SMALL size_t isopod_root_values_bytes(const isopod_encryption *context,
                                             const isopod_values *values) {
    uint32_t is_long = values->type == ISOPOD_VALUES_FLOAT64;
    uint32_t is_short = values->type == ISOPOD_VALUES_INT16;
    uint32_t is_complex = context->config->layout == ISOPOD_COMPLEX ||
                          context->config->layout == ISOPOD_COMPLEX_REPEATED;
    return (size_t)values->count << (2u + is_long + is_complex - is_short);
}

/* What the frame will say, with zeros for its nonce, and type and unit of the values. */
ISOPOD_FRAME_APART static void describe(isopod_tag *hedge, const isopod_encryption *context,
                                        isopod_value_type type, int8_t log2_unit) {
    uint8_t description[ISOPOD_PART_HEADER_MOST];
    const isopod_part_shape shape = context->scheme->shape(context);
    uint8_t *end = isopod_part_fields(description, context, &shape);
    *end++ = (uint8_t)type;
    *end++ = (uint8_t)log2_unit;
    isopod_hedge_describe(hedge, description, (size_t)(end - description));
}

ISOPOD_FRAME_APART void isopod_root_hedge(uint8_t out[ISOPOD_TAG_BYTES],
                                          const isopod_encryption *context,
                                          const isopod_values *values, int8_t log2_unit) {
    isopod_tag hedge;
    isopod_hedge_start(&hedge, context->encryptor->sender->key, &context->name);
    describe(&hedge, context, values->type, log2_unit);
    if (!context->config->hedge_without_values && values->data != NULL) {
        isopod_tag_add(&hedge, values->data, isopod_root_values_bytes(context, values));
    }
    isopod_tag_finish(&hedge);
    isopod_copy(out, hedge.block, ISOPOD_TAG_BYTES);
    isopod_wipe(&hedge, sizeof hedge);
}

isopod_root_name isopod_root_name_of(const isopod_encryption *context, const uint8_t *hedge) {
    const isopod_encryption_config *config = context->config;
    const isopod_root_name name = {.entropy = context->encryptor->entropy,
                                   .name = &context->name,
                                   .device_key = context->encryptor->sender->key,
                                   .hedge = hedge,
                                   .key_id = (const uint8_t *)config->key->blob +
                                             ISOPOD_KEY_OFFSET_KEY_ID,
                                   .set_id = config->params->set_id,
                                   .suite = config->suite->id,
                                   .wire_kind = isopod_encryption_kind(context)};
    return name;
}

void isopod_root_squeeze(isopod_keccak *sponge, isopod_encryption *context,
                         isopod_noise_key *noise) {
    isopod_keccak_squeeze(sponge, context->mask_seed, context->config->suite->mask_seed_bytes);
    isopod_keccak_squeeze(sponge, noise->bytes, sizeof noise->bytes);
    isopod_keccak_squeeze(sponge, context->nonce, sizeof context->nonce);
    ISOPOD_DECLASSIFY(context->mask_seed);
    ISOPOD_DECLASSIFY(context->nonce);
}

ISOPOD_SMALL isopod_status isopod_root_take_name(isopod_encryption *context) {
    if (!isopod_entropy_is_usable(context->encryptor->entropy)) {
        return ISOPOD_ERROR_ENTROPY;
    }
    return isopod_sender_take(context->encryptor->sender, &context->name);
}

ISOPOD_FRAME_APART static isopod_status squeeze(isopod_encryption *context, isopod_noise_key *noise,
                                                const uint8_t *hedge) {
    isopod_root_draft draft;
    const isopod_root_name name = isopod_root_name_of(context, hedge);
    isopod_status status = isopod_root_start(&draft, &name);
    if (status == ISOPOD_OK) {
        isopod_root_squeeze(&draft.sponge, context, noise);
    }
    isopod_wipe(&draft, sizeof draft);
    return status;
}

ISOPOD_SMALL isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                            const isopod_values *values, int8_t log2_unit) {
    uint8_t hedge[ISOPOD_TAG_BYTES];
    isopod_status status = isopod_root_take_name(context);
    if (status == ISOPOD_OK) {
        isopod_root_hedge(hedge, context, values, log2_unit);
        status = squeeze(context, noise, hedge);
        isopod_wipe(hedge, sizeof hedge);
    }
    return status;
}
