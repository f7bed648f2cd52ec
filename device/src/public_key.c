/* Encryption under a public key: c0 = NTT(m + e0) + pk0*NTT(u), c1 = NTT(e1) + pk1*NTT(u). */
#include "blob.h"
#include "memory.h"
#include "method.h"
#include "pointwise.h"
#include "sample.h"

static size_t workspace_bytes(const isopod_ckks_config *config) {
    return ISOPOD_CKKS_PUBLIC_WORKSPACE(isopod_ckks_ring_degree(config), config->chunks,
                                        isopod_ckks_is_wide(config));
}

static void sample(isopod_ckks *context, const isopod_noise_key *noise) {
    isopod_ckks_memory memory = isopod_ckks_memory_of(context->config, 2);
    isopod_stream stream;
    isopod_stream_name name = {ISOPOD_DOMAIN_TERNARY, 0};
    isopod_ckks_sample_error(context, noise, memory.error0, ISOPOD_DOMAIN_ERROR0);
    isopod_ckks_sample_error(context, noise, memory.error1, ISOPOD_DOMAIN_ERROR1);
    isopod_stream_start(&stream, context->config->suite, noise->bytes, name);
    isopod_sample_ternary(memory.ternary, isopod_ckks_ring_degree(context->config), &stream);
    isopod_wipe(&stream, sizeof stream);
}

/* NTT(u) of this chunk, |x| < 3q/4, kept for c1. */
static void transform_u(const isopod_ckks *context, const isopod_ntt *ntt,
                        const isopod_ckks_memory *memory) {
    isopod_polynomial u = {isopod_load_ternary,
                           memory->ternary,
                           NULL,
                           ntt->prime,
                           isopod_ckks_ring_degree(context->config),
                           1};
    isopod_polynomial_ntt(memory->second, &u, ntt);
    isopod_reduce_all(memory->second, ntt->length, ntt->prime);
}

/* pk0 of the prime in either kind of blob. */
static const uint32_t *body_of(const isopod_ckks *context) {
    const isopod_key *key = context->config->key;
    uint32_t n = isopod_ckks_ring_degree(context->config);
    const uint32_t *payload = key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    return key->kind == ISOPOD_KEY_PUBLIC ? payload + (size_t)2 * n * context->prime
                                          : payload + 8 + (size_t)n * context->prime;
}

/* c1 = W + pk1*U where pk1 comes from its seed: the mask is multiplied by U brought to Montgomery
 * form. */
static void multiply_add_seeded(isopod_ckks *context, const isopod_ntt *ntt,
                                const isopod_ckks_memory *memory) {
    const uint8_t *seed =
        (const uint8_t *)(context->config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4);
    isopod_mask_position at = isopod_ckks_mask_position(context, ntt);
    isopod_mask mask;
    isopod_mask_start(&mask, &isopod_suite_chacha20, seed, &at);
    isopod_to_montgomery_all(memory->second, ntt->length, ntt->prime);
    isopod_multiply_add_mask(memory->chunk, &mask, (const uint32_t *)memory->second, ntt->length);
    context->refill = mask.at.refill;
}

static void second_component(isopod_ckks *context, const isopod_ntt *ntt,
                             const isopod_ckks_memory *memory) {
    uint32_t n = isopod_ckks_ring_degree(context->config);
    isopod_polynomial error = {isopod_load_error, NULL, memory->error1, ntt->prime, n, 0};
    isopod_polynomial_ntt(memory->chunk, &error, ntt);
    if (context->config->key->kind == ISOPOD_KEY_PUBLIC_SEEDED) {
        multiply_add_seeded(context, ntt, memory);
    } else {
        const uint32_t *pk1 = body_of(context) + n + ntt->chunk * ntt->length;
        isopod_multiply_add(memory->chunk, memory->second, pk1, ntt->length, ntt->prime);
    }
}

static int32_t *chunk(isopod_ckks *context, const isopod_ntt *ntt) {
    isopod_ckks_memory memory = isopod_ckks_memory_of(context->config, 2);
    if (context->component == 0) {
        transform_u(context, ntt, &memory);
        isopod_ckks_message_ntt(context, ntt, &memory);
        const uint32_t *pk0 = body_of(context) + ntt->chunk * ntt->length;
        isopod_multiply_add(memory.chunk, memory.second, pk0, ntt->length, ntt->prime);
    } else {
        second_component(context, ntt, &memory);
    }
    return memory.chunk;
}

static const struct isopod_ckks_method public_method = {1, 2, workspace_bytes, sample, chunk};

isopod_status isopod_public_key_open(isopod_key *key, const isopod_ckks_params *params,
                                     const uint32_t *blob, size_t bytes) {
    isopod_status status = isopod_blob_check(params, blob, bytes);
    uint32_t kind = status == ISOPOD_OK ? blob[2] : 0;
    if (status == ISOPOD_OK && kind != ISOPOD_KEY_PUBLIC && kind != ISOPOD_KEY_PUBLIC_SEEDED) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK) {
        isopod_key opened = {params, &public_method, blob, (isopod_key_kind)kind};
        *key = opened;
    } else {
        isopod_wipe(key, sizeof *key);
    }
    return status;
}
