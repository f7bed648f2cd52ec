/* Encryption under a secret key: c0 = NTT(m + e0) - a*NTT(s); c1 = a travels as its seed. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "blob.h"
#include "memory.h"
#include "method.h"
#include "montgomery.h"
#include "pointwise.h"
#include "product.h"

static uint8_t chunks_held(const isopod_ckks_config *config) {
    return config->key->kind == ISOPOD_KEY_SECRET_TERNARY ? 2 : 1;
}

static size_t workspace_bytes(const isopod_ckks_config *config) {
    uint32_t n = isopod_ckks_ring_degree(config);
    uint8_t wide = isopod_ckks_is_wide(config);
    return chunks_held(config) == 2 ? ISOPOD_CKKS_SECRET_TERNARY_WORKSPACE(n, config->chunks, wide)
                                    : ISOPOD_CKKS_SECRET_NTT_WORKSPACE(n, config->chunks, wide);
}

static isopod_status sample(isopod_ckks *context, const isopod_noise_key *noise) {
    isopod_ckks_memory memory =
        isopod_ckks_memory_of(context->config, chunks_held(context->config));
    isopod_ckks_sample_error(context, noise, memory.error0, ISOPOD_DOMAIN_ERROR0);
    return ISOPOD_OK;
}

/* This chunk of -NTT(s) in Montgomery form: from flash, or transformed from the ternary key. */
static const uint32_t *key_chunk(const isopod_ckks *context, const isopod_ntt *ntt,
                                 const isopod_ckks_memory *memory) {
    const isopod_key *key = context->config->key;
    const uint32_t *payload = key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t n = isopod_ckks_ring_degree(context->config);
    if (key->kind == ISOPOD_KEY_SECRET_NTT) {
        return payload + (size_t)n * context->prime + ntt->chunk * ntt->length;
    }
    isopod_polynomial secret = {isopod_load_ternary, payload, NULL,
                                ntt->prime,          n,       -isopod_montgomery_one(ntt->prime)};
    isopod_polynomial_ntt(memory->second, &secret, ntt);
    isopod_canonical_all(memory->second, ntt->length, ntt->prime);
    return (const uint32_t *)memory->second;
}

static void start_mask(isopod_mask *mask, const isopod_ckks *context, const isopod_ntt *ntt) {
    isopod_mask_position at = isopod_ckks_mask_position(context, ntt);
    isopod_mask_start(mask, context->config->suite, context->mask_seed, &at);
}

static uint32_t chunk(isopod_ckks *context, const isopod_ntt *ntt) {
    isopod_ckks_memory memory =
        isopod_ckks_memory_of(context->config, chunks_held(context->config));
    isopod_mask mask;
    isopod_polynomial message = isopod_ckks_message(context, ntt, &memory);
    isopod_product product = {&message, ntt, key_chunk(context, ntt, &memory)};
    start_mask(&mask, context, ntt);
    uint32_t bytes = isopod_product_with_mask(memory.chunk, &product, &mask);
    context->refill = mask.at.refill;
    return bytes;
}

static const struct isopod_ckks_method secret_method = {2, 1, workspace_bytes, sample, chunk};

isopod_status isopod_secret_key_open(isopod_key *key, const isopod_ckks_params *params,
                                     const uint32_t *blob, size_t bytes) {
    isopod_status status = isopod_blob_check(params, blob, bytes);
    uint32_t kind = status == ISOPOD_OK ? blob[2] : 0;
    if (status == ISOPOD_OK && kind != ISOPOD_KEY_SECRET_TERNARY && kind != ISOPOD_KEY_SECRET_NTT) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK) {
        isopod_key opened = {params, &secret_method, blob, (isopod_key_kind)kind};
        *key = opened;
    } else {
        isopod_wipe(key, sizeof *key);
    }
    return status;
}
