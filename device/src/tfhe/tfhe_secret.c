/* TFHE encryption under a secret key (spec/tfhe.md, section 5): b = a*s + e + m; a travels as its
 * seed. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "../base/memory.h"
#include "tfhe_blob.h"
#include "tfhe_method.h"

/*@ requires \valid_read(config) && \valid_read(config->key);
    assigns \nothing;
    ensures \result == 1 <==> config->key->kind == ISOPOD_TFHE_KEY_SECRET &&
            config->key->prepared == \null; */
static uint32_t holds_key(const isopod_tfhe_config *config) {
    return config->key->kind == ISOPOD_TFHE_KEY_SECRET && config->key->prepared == NULL;
}

static size_t workspace_bytes(const isopod_tfhe_config *config, uint32_t coefficients) {
    uint32_t n = isopod_tfhe_degree(config->params), word = isopod_tfhe_word_bytes(config->params);
    (void)coefficients;
    return holds_key(config) ? ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(n, word)
                             : ISOPOD_TFHE_SECRET_WORKSPACE(n, word);
}

static uint32_t *blocks(const isopod_tfhe *context) {
    return isopod_tfhe_memory_of(context, holds_key(context->config)).blocks;
}

static const uint32_t *transformed_key(const isopod_tfhe_config *config,
                                       const isopod_tfhe_memory *memory, const isopod_ntt *ntt) {
    const uint32_t *payload = config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    if (!holds_key(config)) {
        return payload;
    }
    isopod_small secret = {payload, config->params->secret};
    isopod_ring_transform(memory->transformed, &secret, ntt);
    return memory->transformed;
}

ISOPOD_FRAME_APART static void multiply(const isopod_tfhe_config *config,
                                        const isopod_tfhe_memory *memory) {
    isopod_ring ring = {isopod_ring_ntt(config->params, config->tables->twiddles),
                        config->params->log2_modulus};
    if (config->key->prepared != NULL) {
        isopod_ring_product_prepared(memory->words, config->key->prepared, memory->scratch, &ring);
        return;
    }
    isopod_tfhe_product(memory->words, transformed_key(config, memory, &ring.ntt), memory->scratch,
                        &ring.ntt, config->params);
}

static void begin(isopod_tfhe *context, const isopod_noise_key *noise) {
    const isopod_tfhe_config *config = context->config;
    isopod_tfhe_memory memory = isopod_tfhe_memory_of(context, holds_key(config));
    uint32_t count = isopod_tfhe_degree(config->params) * (config->params->log2_modulus / 32u);
    isopod_tfhe_mask_expand(memory.words, count, config->suite, context->nonce,
                            isopod_tfhe_key_id(config->key));
    multiply(config, &memory);
    isopod_tfhe_finish_bodies(context, memory.words, memory.blocks, noise);
}

static const struct isopod_tfhe_method method = {.wire_kind = ISOPOD_KIND_TFHE_SECRET,
                                                 .components = 1,
                                                 .needs_twiddles = 1,
                                                 .workspace_bytes = workspace_bytes,
                                                 .blocks = blocks,
                                                 .begin = begin};

static const isopod_tfhe_opening opening = {&method, ISOPOD_TFHE_KEY_SECRET,
                                            ISOPOD_TFHE_KEY_SECRET_TRANSFORMED};

isopod_status isopod_tfhe_secret_key_open(isopod_tfhe_key *key, const isopod_tfhe_params *params,
                                          const uint32_t *blob, size_t bytes) {
    return isopod_tfhe_key_open(key, &opening, params, blob, bytes);
}

isopod_status isopod_tfhe_key_prepare(isopod_tfhe_key *key, const isopod_tfhe_tables *tables,
                                      void *memory, size_t bytes) {
    if (key->method != &method || key->kind != ISOPOD_TFHE_KEY_SECRET) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    if (!isopod_tfhe_tables_fit(tables, key->params)) {
        return ISOPOD_ERROR_TABLES;
    }
    if (memory == NULL || ((uintptr_t)memory & 7u) != 0 ||
        bytes < ISOPOD_TFHE_PREPARED_BYTES(isopod_tfhe_degree(key->params))) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    isopod_small secret = {key->blob + ISOPOD_KEY_HEADER_BYTES / 4, key->params->secret};
    isopod_ntt ntt = isopod_ring_ntt(key->params, tables->twiddles);
    isopod_ring_prepare(memory, &secret, &ntt);
    isopod_wipe_stack();
    key->prepared = memory;
    return ISOPOD_OK;
}
