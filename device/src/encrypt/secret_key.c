/* Encryption under a secret key (spec/ckks.md, section 6): c0 = NTT(m + e0) - a*NTT(s); c1 = a
 * travels as its seed. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "../base/memory.h"
#include "method.h"
#include "../ring/montgomery.h"
#include "../ring/pointwise.h"
#include "../ring/product.h"

#if ISOPOD_WORD_BITS == 32
#define WORD_SECRET_TERNARY_WORKSPACE ISOPOD_SECRET_TERNARY_WORKSPACE
#define WORD_SECRET_NTT_WORKSPACE ISOPOD_SECRET_NTT_WORKSPACE
#else
#define WORD_SECRET_TERNARY_WORKSPACE ISOPOD64_SECRET_TERNARY_WORKSPACE
#define WORD_SECRET_NTT_WORKSPACE ISOPOD64_SECRET_NTT_WORKSPACE
#endif

/*@ requires \valid_read(config) && \valid_read(config->key);
    assigns \nothing;
    ensures \result == (config->key->kind == ISOPOD_KEY_SECRET_TERNARY ? 2 : 1); */
static uint8_t chunks_held(const isopod_encryption_config *config) {
    return config->key->kind == ISOPOD_KEY_SECRET_TERNARY ? 2 : 1;
}

static size_t workspace_bytes(const isopod_encryption_config *config, size_t message_bytes) {
    uint32_t n = isopod_encryption_ring_degree(config);
    return chunks_held(config) == 2
               ? WORD_SECRET_TERNARY_WORKSPACE(n, config->chunks, message_bytes)
               : WORD_SECRET_NTT_WORKSPACE(n, config->chunks, message_bytes);
}

static isopod_status sample(isopod_encryption *context, const isopod_noise_key *noise) {
    isopod_encryption_memory memory = isopod_encryption_memory_of(context);
    isopod_encryption_sample_error(context, noise, memory.error0, ISOPOD_DOMAIN_ERROR0);
    return ISOPOD_OK;
}

/* The chunk of -NTT(s) in Montgomery form, from the blob or transformed from the ternary key. */
static const isopod_residue *key_chunk(const isopod_encryption *context, const isopod_ntt *ntt,
                                       const isopod_encryption_memory *memory) {
    const isopod_key *key = context->config->key;
    const void *payload = key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t n = isopod_encryption_ring_degree(context->config);
    if (key->kind == ISOPOD_KEY_SECRET_NTT) {
        return (const isopod_residue *)payload + (size_t)n * context->prime +
               ntt->chunk * ntt->length;
    }
    isopod_polynomial secret = {isopod_load_ternary, payload, NULL,
                                ntt->prime,          n,       -isopod_montgomery_one(ntt->prime)};
    isopod_polynomial_ntt(memory->second, &secret, ntt);
    isopod_canonical_all(memory->second, ntt->length, ntt->prime);
    return memory->second;
}

static void start_mask(isopod_mask *mask, const isopod_encryption *context, const isopod_ntt *ntt) {
    isopod_mask_position at = isopod_encryption_mask_position(context, ntt);
    isopod_mask_start(mask, context->config->suite, context->mask_seed, &at);
}

static uint32_t chunk(isopod_encryption *context) {
    isopod_encryption_memory memory = isopod_encryption_memory_of(context);
    isopod_ntt ntt = isopod_encryption_chunk_ntt(context);
    isopod_mask mask;
    isopod_polynomial message = isopod_encryption_message(context, &ntt, &memory);
    isopod_product product = {&message, &ntt, key_chunk(context, &ntt, &memory)};
    start_mask(&mask, context, &ntt);
    uint32_t bytes = isopod_product_with_mask(memory.chunk, &product, &mask);
    context->refill = mask.at.refill;
    return bytes;
}

static const struct isopod_encryption_method secret_method = {.word_bytes = sizeof(isopod_word),
                                                              .components = 1,
                                                              .workspace_bytes = workspace_bytes,
                                                              .sample = sample,
                                                              .chunk = chunk};

isopod_status isopod_secret_key_open(isopod_key *key, const isopod_params *params,
                                     const isopod_residue *blob, size_t bytes) {
    isopod_status status = isopod_decryption_key_open(key, params, blob, bytes);
    if (status == ISOPOD_OK) {
        key->method = &secret_method;
    }
    return status;
}
