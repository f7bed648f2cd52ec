/* TFHE encryption under a secret key without a stored mask (spec/tfhe.md, section 5): each piece of
 * the mask is multiplied into all sums as it leaves its stream. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "../base/memory.h"
#include "../base/workspace.h"
#include "tfhe_blob.h"
#include "tfhe_method.h"

static size_t workspace_bytes(const isopod_tfhe_config *config, uint32_t coefficients) {
    return ISOPOD_TFHE_STREAM_WORKSPACE(coefficients, isopod_tfhe_word_bytes(config->params));
}

/* The message lies behind the sums, whose number is rounded up to a multiple of 32. */
static uint32_t *blocks(const isopod_tfhe *context) {
    uint32_t sums = (context->coefficients + 31u) / 32u * 32u;
    return (uint32_t *)isopod_workspace_room(&context->encryptor->workspace) +
           sums * (isopod_tfhe_word_bytes(context->config->params) / 4u);
}

static void accumulate(const isopod_tfhe *context) {
    const isopod_tfhe_config *config = context->config;
    const isopod_tfhe_params *params = config->params;
    const uint32_t word_bytes = isopod_tfhe_word_bytes(params);
    isopod_small secret = {config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4, params->secret};
    isopod_ring_place place = {&secret, isopod_tfhe_degree(params), 0, context->coefficients};
    void *sums = isopod_workspace_room(&context->encryptor->workspace);
    isopod_tfhe_mask mask;
    isopod_tfhe_mask_start(&mask, config->suite, context->nonce, isopod_tfhe_key_id(config->key));
    uint64_t piece[ISOPOD_TFHE_MASK_PIECE / 2u];
    uint32_t step = (uint32_t)sizeof piece / word_bytes;
    for (; place.first < place.n; place.first += step) {
        config->suite->words(&mask, (uint32_t *)piece, ISOPOD_TFHE_MASK_PIECE);
        if (word_bytes == 4) {
            isopod_ring_accumulate32(sums, (const uint32_t *)piece, &place);
        } else {
            isopod_ring_accumulate64(sums, piece, &place);
        }
    }
}

ISOPOD_SMALL static void begin(isopod_tfhe *context, const isopod_noise_key *noise) {
    uint8_t *sums = isopod_workspace_room(&context->encryptor->workspace);
    uint32_t *message = blocks(context);
    isopod_wipe(sums, (size_t)((uint8_t *)message - sums));
    accumulate(context);
    isopod_tfhe_finish_bodies(context, sums, message, noise);
}

static const struct isopod_tfhe_method method = {.wire_kind = ISOPOD_KIND_TFHE_SECRET,
                                                 .components = 1,
                                                 .needs_twiddles = 0,
                                                 .workspace_bytes = workspace_bytes,
                                                 .blocks = blocks,
                                                 .begin = begin};

static const isopod_tfhe_opening opening = {&method, ISOPOD_TFHE_KEY_SECRET,
                                            ISOPOD_TFHE_KEY_SECRET};

isopod_status isopod_tfhe_stream_key_open(isopod_tfhe_key *key, const isopod_tfhe_params *params,
                                          const uint32_t *blob, size_t bytes) {
    return isopod_tfhe_key_open(key, &opening, params, blob, bytes);
}
