/* The root of a ciphertext (spec/ckks.md, section 2): its inputs from the configuration, and mask
 * seed, noise key and nonce from the sponge. */
#include "method.h"

#include "../base/constant_time.h"
#include "../base/memory.h"

isopod_root_name isopod_root_name_of(const isopod_encryption *context, uint8_t wire_kind) {
    const isopod_encryption_config *config = context->config;
    const isopod_root_name name = {.entropy = config->entropy,
                                   .key_id = (const uint8_t *)config->key->blob +
                                             ISOPOD_KEY_OFFSET_KEY_ID,
                                   .set_id = config->params->set_id,
                                   .suite = config->suite->id,
                                   .wire_kind = wire_kind};
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
                                            uint8_t wire_kind) {
    const isopod_root_name name = isopod_root_name_of(context, wire_kind);
    isopod_root_draft draft;
    isopod_status status = isopod_root_start(&draft, &name);
    if (status == ISOPOD_OK) {
        isopod_root_squeeze(&draft.sponge, context, noise);
    }
    isopod_wipe(&draft, sizeof draft);
    return status;
}
