/* Rounded coefficients under a public key (spec/coefficients.md, section 2): pk0*NTT(u) and
 * pk1*NTT(u). NTT(u) is kept for the second product, or computed again. */
#include "../base/memory.h"
#include "../keys/blob.h"
#include "../random/noise.h"
#include "rounded.h"

static size_t workspace_bytes(const isopod_encryption_config *config) {
    return ISOPOD_ROUNDED_PUBLIC_WORKSPACE(isopod_encryption_ring_degree(config),
                                           isopod_encryption_level(config));
}

static size_t small_workspace_bytes(const isopod_encryption_config *config) {
    return ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(isopod_encryption_ring_degree(config),
                                                 isopod_encryption_level(config));
}

/* u is last in the workspace. */
static uint32_t *u_of(const isopod_rounded *context) {
    const isopod_encryption_config *config = context->encryption.config;
    uint8_t *end = (uint8_t *)context->encryption.encryptor->workspace.memory +
                   config->rounding->method->workspace_bytes(config);
    return (uint32_t *)(void *)(end - isopod_encryption_ring_degree(config) / 4u);
}

static void sample(const isopod_rounded *context) {
    const isopod_encryption_config *config = context->encryption.config;
    isopod_noise_source source = {config->suite, isopod_rounded_state_of(context)->key.bytes,
                                  ISOPOD_DOMAIN_TERNARY};
    isopod_noise_ternary(u_of(context), isopod_encryption_ring_degree(config), &source);
}

/* |x| < 2q: a product with a canonical key reduces to 2q * q / R + q/2 <= q. */
static void transform_u(const isopod_rounded *context, isopod_word *x, const isopod_ntt *ntt) {
    isopod_polynomial u = {isopod_load_ternary, u_of(context), NULL, ntt->prime, ntt->length, 1};
    isopod_polynomial_ntt(x, &u, ntt);
}

/* Multiplies pk1, expanded from its seed, by U, which is brought to Montgomery form in x. */
static void multiply_seeded(const isopod_rounded *context, isopod_word *x, const isopod_word *u,
                            const isopod_ntt *ntt) {
    const void *seed = context->encryption.config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    isopod_mask_position at = isopod_encryption_mask_position(&context->encryption, ntt);
    isopod_mask mask;
    if (x != u) {
        isopod_copy((uint8_t *)x, (const uint8_t *)u, sizeof *x * ntt->length);
    }
    isopod_mask_start(&mask, &isopod_suite_chacha20, seed, &at);
    isopod_to_montgomery_all(x, ntt->length, ntt->prime);
    isopod_rounded_multiply_mask(x, &mask, (const isopod_residue *)x, ntt);
}

/* x = U * pk0 or U * pk1; x may be U. */
static void multiply(const isopod_rounded *context, isopod_word *x, const isopod_word *u,
                     const isopod_ntt *ntt) {
    const isopod_key *key = context->encryption.config->key;
    const isopod_residue *body = isopod_blob_residues(key->params, key->blob);
    uint32_t is_seeded = key->kind == ISOPOD_KEY_PUBLIC_SEEDED;
    uint32_t component = context->encryption.component;
    size_t place = (size_t)ntt->length * context->encryption.prime;
    if (is_seeded && component == 1) {
        multiply_seeded(context, x, u, ntt);
        return;
    }
    body += is_seeded ? place : 2 * place + (size_t)ntt->length * component;
    isopod_rounded_multiply(x, u, body, ntt->length, ntt->prime);
}

/* Keeps U behind the polynomials. */
static void product(isopod_rounded *context, isopod_word *x, const isopod_ntt *ntt) {
    const isopod_encryption_config *config = context->encryption.config;
    isopod_word *u = isopod_rounded_polynomial(context, isopod_encryption_level(config) +
                                                            context->encryption.prime);
    if (context->encryption.component == 0) {
        transform_u(context, u, ntt);
    }
    multiply(context, x, u, ntt);
}

static void small_product(isopod_rounded *context, isopod_word *x, const isopod_ntt *ntt) {
    transform_u(context, x, ntt);
    multiply(context, x, x, ntt);
}

const isopod_rounded_method isopod_rounded_public = {.components = 2,
                                                     .first_kind = ISOPOD_KEY_PUBLIC,
                                                     .workspace_bytes = workspace_bytes,
                                                     .sample = sample,
                                                     .product = product};

const isopod_rounded_method isopod_rounded_public_small = {.components = 2,
                                                           .first_kind = ISOPOD_KEY_PUBLIC,
                                                           .workspace_bytes = small_workspace_bytes,
                                                           .sample = sample,
                                                           .product = small_product};
