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

ISOPOD_FRAME_APART void isopod_root_hedge(uint8_t out[ISOPOD_TAG_BYTES],
                                          const isopod_encryption *context,
                                          const isopod_values *values) {
    const isopod_encryption_config *config = context->config;
    isopod_tag hedge;
    isopod_wipe(out, ISOPOD_TAG_BYTES);
    if (config->hedge_without_values || values->data == NULL) {
        return;
    }
    isopod_hedge_start(&hedge, config->sender);
    isopod_tag_add(&hedge, values->data, isopod_root_values_bytes(context, values));
    isopod_tag_finish(&hedge);
    isopod_copy(out, hedge.block, ISOPOD_TAG_BYTES);
    isopod_wipe(&hedge, sizeof hedge);
}

isopod_root_name isopod_root_name_of(const isopod_encryption *context, const uint8_t *hedge) {
    const isopod_encryption_config *config = context->config;
    const isopod_root_name name = {.entropy = config->entropy,
                                   .sender = config->sender,
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

ISOPOD_SMALL isopod_status isopod_root_take(isopod_encryption *context, isopod_noise_key *noise,
                                            const uint8_t *hedge) {
    const isopod_root_name name = isopod_root_name_of(context, hedge);
    isopod_root_draft draft;
    isopod_status status = isopod_root_start(&draft, &name);
    if (status == ISOPOD_OK) {
        isopod_root_squeeze(&draft.sponge, context, noise);
    }
    isopod_wipe(&draft, sizeof draft);
    return status;
}
