/* The fault check: samples noise and computes every chunk twice. Only a digest of the first outcome
 * is kept, so that it needs no RAM. */
#include "../base/constant_time.h"
#include "../base/memory.h"
#include "method.h"

/* Odd and 5 mod 8, so of the largest order modulo 2^64. */
#define MULTIPLIER 0x9e3779b97f4a7c15u

/* A digest of whole words against faults, not against forgery. Each step is a bijection: one
 * changed word always changes the digest, several leave it unchanged with a probability of about
 * 2^-64. */
static uint64_t digest(const uint8_t *memory, size_t bytes) {
    const isopod_alias32 *words = (const isopod_alias32 *)(const void *)memory;
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes / 4; i++) {
        sum = (sum ^ words[i]) * MULTIPLIER;
    }
    return sum;
}

/* All ones if they differ. */
static uint32_t differ(uint64_t a, uint64_t b) {
    uint64_t difference = a ^ b;
    uint32_t mask = isopod_ct_nonzero((uint32_t)(difference >> 32) | (uint32_t)difference);
    ISOPOD_DECLASSIFY(mask);
    return mask;
}

/* Memory is wiped before it is filled again, so that the first outcome cannot pass for the
 * second. */
static isopod_status sample(isopod_encryption *context, const isopod_noise_key *noise) {
    const isopod_encryption_config *config = context->config;
    size_t bytes = isopod_encryption_noise_bytes(config);
    uint8_t *at = (uint8_t *)context->encryptor->workspace.memory +
                  isopod_encryption_workspace_bytes(context) - bytes;
    (void)config->key->method->sample(context, noise);
    uint64_t first = digest(at, bytes);
    isopod_wipe(at, bytes);
    (void)config->key->method->sample(context, noise);
    uint32_t difference = differ(first, digest(at, bytes));
    isopod_wipe(&first, sizeof first);
    return difference != 0 ? ISOPOD_ERROR_FAULT : ISOPOD_OK;
}

/* c1 uses values that c0 leaves in the workspace, so the components before it are repeated, too. */
static void compute_again(isopod_encryption *context, uint32_t refill) {
    uint8_t component = context->component;
    for (context->component = 0; context->component <= component; context->component++) {
        context->refill = refill;
        (void)isopod_encryption_compute_chunk(context);
    }
    context->component = component;
}

static isopod_status chunk(isopod_encryption *context) {
    uint32_t refill = context->refill;
    (void)isopod_encryption_compute_chunk(context);
    uint64_t first = digest(context->stream.piece, context->stream.pending);
    compute_again(context, refill);
    if (differ(first, digest(context->stream.piece, context->stream.pending)) != 0) {
        isopod_encryption_abort(context);
        return ISOPOD_ERROR_FAULT;
    }
    return ISOPOD_OK;
}

const isopod_fault_check isopod_compute_twice = {.sample = sample, .chunk = chunk};
