/* Encryption under a public key ([LPR10]; spec/ckks.md, section 6): c0 = NTT(m + e0) + pk0*NTT(u),
 * c1 = NTT(e1) + pk1*NTT(u). */
#include "../keys/blob.h"
#include "../keys/seal.h"
#include "../base/memory.h"
#include "method.h"
#include "../random/noise.h"
#include "../ring/pointwise.h"
#include "../ring/product.h"

#if ISOPOD_WORD_BITS == 32
#define WORD_PUBLIC_WORKSPACE ISOPOD_PUBLIC_WORKSPACE
#else
#define WORD_PUBLIC_WORKSPACE ISOPOD64_PUBLIC_WORKSPACE
#endif

size_t isopod_public_workspace_bytes(const isopod_encryption_config *config, size_t message_bytes) {
    return WORD_PUBLIC_WORKSPACE(isopod_encryption_ring_degree(config), config->chunks,
                                 message_bytes);
}

ISOPOD_FRAME_APART static void sample_u(const isopod_encryption *context,
                                        const isopod_noise_key *noise, uint32_t *out) {
    isopod_noise_source source = {context->config->suite, noise->bytes, ISOPOD_DOMAIN_TERNARY};
    isopod_noise_ternary(out, isopod_encryption_ring_degree(context->config), &source);
}

ISOPOD_SMALL isopod_status isopod_public_sample(isopod_encryption *context,
                                                const isopod_noise_key *noise) {
    isopod_encryption_memory memory = isopod_encryption_memory_of(context);
    isopod_encryption_sample_error(context, noise, memory.error0, ISOPOD_DOMAIN_ERROR0);
    isopod_encryption_sample_error(context, noise, memory.error1, ISOPOD_DOMAIN_ERROR1);
    sample_u(context, noise, memory.ternary);
    return ISOPOD_OK;
}

/* Computes NTT(u) of this chunk, |x| < 3q/4, which is kept for c1. */
static void transform_u(const isopod_encryption *context, const isopod_ntt *ntt,
                        const isopod_encryption_memory *memory) {
    isopod_polynomial u = {isopod_load_ternary,
                           memory->ternary,
                           NULL,
                           ntt->prime,
                           isopod_encryption_ring_degree(context->config),
                           1};
    isopod_polynomial_ntt(memory->second, &u, ntt);
    isopod_reduce_all(memory->second, ntt->length, ntt->prime);
}

/* Whether pk1 is expanded from its seed; blobs of odd kinds hold pk1. */
/*@ requires \valid_read(key);
    assigns \nothing;
    ensures \result == ((key->kind & 1) == 0 ? 1 : 0); */
static uint32_t is_seeded(const isopod_key *key) {
    return (key->kind & 1u) == 0;
}

/* pk0 of the prime in any kind of blob; a blob of a split key holds only one. */
static const isopod_residue *body_of(const isopod_encryption *context) {
    const isopod_key *key = context->config->key;
    uint32_t n = isopod_encryption_ring_degree(context->config);
    size_t place = key->kind <= ISOPOD_KEY_PUBLIC_SEEDED ? (size_t)n * context->prime : 0;
    return isopod_blob_residues(key->params, key->blob) + (is_seeded(key) ? place : 2 * place);
}

ISOPOD_FRAME_APART static void
start_seeded_mask(isopod_mask *mask, const isopod_encryption *context, const isopod_ntt *ntt) {
    const uint32_t *seed = context->config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    isopod_mask_position at = isopod_encryption_mask_position(context, ntt);
    isopod_mask_start(mask, &isopod_suite_chacha20, (const uint8_t *)seed, &at);
}

/* Computes c1 where pk1 is expanded from its seed: the mask times U in Montgomery form. */
ISOPOD_FRAME_APART static uint32_t seeded_product(isopod_encryption *context,
                                                  const isopod_encryption_memory *memory,
                                                  isopod_product *product) {
    isopod_mask mask;
    start_seeded_mask(&mask, context, product->ntt);
    isopod_to_montgomery_all(memory->second, product->ntt->length, product->ntt->prime);
    product->key = memory->second;
    uint32_t bytes = isopod_product_with_mask(memory->chunk, product, &mask);
    context->refill = mask.at.refill;
    return bytes;
}

/* c1 = NTT(e1) + pk1*U */
ISOPOD_FRAME_APART static uint32_t second_component(isopod_encryption *context,
                                                    const isopod_ntt *ntt,
                                                    const isopod_encryption_memory *memory) {
    uint32_t n = isopod_encryption_ring_degree(context->config);
    isopod_polynomial error = {isopod_load_error, NULL, memory->error1, ntt->prime, n, 0};
    isopod_product product = {&error, ntt, body_of(context) + n + ntt->chunk * ntt->length};
    if (is_seeded(context->config->key)) {
        return seeded_product(context, memory, &product);
    }
    return isopod_product_with(memory->chunk, &product, memory->second);
}

/* c0 = NTT(m + e0) + pk0*U */
ISOPOD_FRAME_APART static uint32_t first_component(isopod_encryption *context,
                                                   const isopod_ntt *ntt,
                                                   const isopod_encryption_memory *memory) {
    transform_u(context, ntt, memory);
    isopod_polynomial message = isopod_encryption_message(context, ntt, memory);
    isopod_product product = {&message, ntt, body_of(context) + ntt->chunk * ntt->length};
    return isopod_product_with(memory->chunk, &product, memory->second);
}

ISOPOD_SMALL uint32_t isopod_public_chunk(isopod_encryption *context) {
    isopod_encryption_memory memory = isopod_encryption_memory_of(context);
    isopod_ntt ntt = isopod_encryption_chunk_ntt(context);
    uint32_t bytes = context->component == 0 ? first_component(context, &ntt, &memory)
                                             : second_component(context, &ntt, &memory);
    return bytes;
}

static const struct isopod_encryption_method public_method = {.word_bytes = sizeof(isopod_word),
                                                              .components = 2,
                                                              .workspace_bytes =
                                                                  isopod_public_workspace_bytes,
                                                              .sample = isopod_public_sample,
                                                              .chunk = isopod_public_chunk};

/* Opens a blob that was checked with this outcome. */
static inline isopod_status accept(isopod_key *key, const isopod_params *params,
                                   const uint32_t *words, isopod_status status) {
    uint32_t kind = status == ISOPOD_OK ? words[ISOPOD_KEY_WORD_KIND] : 0;
    if (status == ISOPOD_OK && kind != ISOPOD_KEY_PUBLIC && kind != ISOPOD_KEY_PUBLIC_SEEDED) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK) {
        isopod_key opened = {params, &public_method, words, (isopod_key_kind)kind};
        *key = opened;
    } else {
        isopod_wipe(key, sizeof *key);
    }
    return status;
}

ISOPOD_SMALL isopod_status isopod_public_key_open(isopod_key *key, const isopod_params *params,
                                                  const isopod_residue *blob, size_t bytes) {
    const uint32_t *words = (const void *)blob;
    isopod_status status = isopod_blob_check(params, words, bytes);
    isopod_wipe_stack(); /* the blob may be that of a secret key */
    return accept(key, params, words, status);
}

isopod_status isopod_sealed_public_key_open(isopod_key *key, const isopod_params *params,
                                            const isopod_residue *sealed, size_t bytes) {
    const uint32_t *words = (const void *)sealed;
    return accept(key, params, words, isopod_sealed_key_check(params, words, bytes));
}
