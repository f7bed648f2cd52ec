/* Rounded coefficients under a secret key (spec/coefficients.md, section 2): -a*NTT(s). */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "../base/memory.h"
#include "../ring/montgomery.h"
#include "rounded.h"

/*@ requires \valid_read(config) && \valid_read(config->key);
    assigns \nothing;
    ensures \result == (config->key->kind == ISOPOD_KEY_SECRET_TERNARY ? 1 : 0); */
static uint32_t is_ternary(const isopod_encryption_config *config) {
    return config->key->kind == ISOPOD_KEY_SECRET_TERNARY;
}

static size_t workspace_bytes(const isopod_encryption_config *config) {
    return ISOPOD_ROUNDED_SECRET_WORKSPACE(isopod_encryption_ring_degree(config),
                                           isopod_encryption_level(config), is_ternary(config));
}

/* -NTT(s) in Montgomery form, from the blob or transformed from the ternary key. */
static const isopod_residue *key_of(const isopod_rounded *context, const isopod_ntt *ntt) {
    const isopod_encryption_config *config = context->encryption.config;
    const void *payload = config->key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    if (!is_ternary(config)) {
        return (const isopod_residue *)payload + (size_t)ntt->length * context->encryption.prime;
    }
    isopod_word *out = isopod_rounded_polynomial(context, isopod_encryption_level(config));
    isopod_polynomial secret = {
        isopod_load_ternary, payload,     NULL,
        ntt->prime,          ntt->length, -isopod_montgomery_one(ntt->prime)};
    isopod_polynomial_ntt(out, &secret, ntt);
    isopod_canonical_all(out, ntt->length, ntt->prime);
    return (const isopod_residue *)out;
}

static void product(isopod_rounded *context, isopod_word *x, const isopod_ntt *ntt) {
    isopod_encryption *encryption = &context->encryption;
    isopod_mask_position at = isopod_encryption_mask_position(encryption, ntt);
    isopod_mask mask;
    isopod_mask_start(&mask, encryption->config->suite, encryption->mask_seed, &at);
    isopod_rounded_multiply_mask(x, &mask, key_of(context, ntt), ntt);
    encryption->refill = mask.at.refill;
}

const isopod_rounded_method isopod_rounded_secret = {.components = 1,
                                                     .first_kind = ISOPOD_KEY_SECRET_TERNARY,
                                                     .workspace_bytes = workspace_bytes,
                                                     .product = product};
