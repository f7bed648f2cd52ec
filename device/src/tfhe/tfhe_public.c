/* TFHE encryption under a public key (spec/tfhe.md, section 5): a = p0*u + e1, b = p1*u + e + m. */
#include "../base/memory.h"
#include "../base/piece_stream.h"
#include "../backend/backend.h"
#include "tfhe_blob.h"
#include "tfhe_method.h"
#include "tfhe_small.h"

static size_t workspace_bytes(const isopod_tfhe_config *config, uint32_t coefficients) {
    (void)coefficients;
    return ISOPOD_TFHE_PUBLIC_WORKSPACE(isopod_tfhe_degree(config->params),
                                        isopod_tfhe_word_bytes(config->params));
}

static uint32_t *blocks(const isopod_tfhe *context) {
    return isopod_tfhe_memory_of(context, 1).blocks;
}

/* p0 or p1 from the blob, or p0 from its seed. */
static void load_key(uint32_t *words, const isopod_tfhe_key *key, uint32_t second) {
    uint32_t count = isopod_tfhe_degree(key->params) * (key->params->log2_modulus / 32u);
    const uint32_t *payload = key->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    uint32_t is_seeded = key->kind == ISOPOD_TFHE_KEY_PUBLIC_SEEDED;
    if (is_seeded && !second) {
        isopod_tfhe_public_mask(words, (const uint8_t *)payload, count);
        return;
    }
    payload += is_seeded ? 8u : second ? count : 0u;
    isopod_copy((uint8_t *)words, (const uint8_t *)payload, (size_t)4 * count);
}

/* The first product transforms u. Its symbols lie in the scratch memory, before the memory of the
 * transform. */
ISOPOD_SMALL static void load_product(const isopod_tfhe_config *config,
                                      const isopod_tfhe_memory *memory, uint32_t second) {
    isopod_ring ring = {isopod_ring_ntt(config->params, config->tables->twiddles),
                        config->params->log2_modulus};
    isopod_small u = {(uint32_t *)memory->scratch, config->params->secret};
    load_key(memory->words, config->key, second);
#if ISOPOD_TAKES(RING_PREPARED)
    if (isopod_native_ring_product_held(memory->words, memory->scratch, second ? NULL : &u,
                                        &ring)) {
        return;
    }
#endif
    if (!second) {
        isopod_ring_transform(memory->transformed, &u, &ring.ntt);
    }
    isopod_tfhe_product(memory->words, memory->transformed, memory->scratch, &ring.ntt,
                        config->params);
}

ISOPOD_FRAME_APART static void sample_u(const isopod_tfhe_config *config,
                                        const isopod_tfhe_memory *memory,
                                        const isopod_noise_key *noise) {
    isopod_stream stream;
    isopod_tfhe_noise_start(&stream, config->suite, noise, ISOPOD_DOMAIN_TERNARY);
    isopod_tfhe_sample_small((uint32_t *)memory->scratch, config->params, &stream);
    isopod_wipe(&stream, sizeof stream);
}

static void begin(isopod_tfhe *context, const isopod_noise_key *noise) {
    const isopod_tfhe_config *config = context->config;
    uint32_t n = isopod_tfhe_degree(config->params);
    isopod_tfhe_memory memory = isopod_tfhe_memory_of(context, 1);
    isopod_tfhe_addend addend = {config->params, NULL, n};
    isopod_stream stream;
    *memory.noise = *noise;
    sample_u(config, &memory, noise);
    load_product(config, &memory, 0);
    isopod_tfhe_noise_start(&stream, config->suite, noise, ISOPOD_DOMAIN_ERROR1);
    isopod_tfhe_add_errors(memory.words, &addend, &stream);
    isopod_wipe(&stream, sizeof stream);
    isopod_wipe_shallow_stack(); /* in this frame, since adding errors needs much stack */
    isopod_piece_stream_give(&context->stream, memory.words,
                             n * isopod_tfhe_word_bytes(config->params));
}

ISOPOD_SMALL static void second(isopod_tfhe *context) {
    isopod_tfhe_memory memory = isopod_tfhe_memory_of(context, 1);
    load_product(context->config, &memory, 1);
    isopod_tfhe_finish_bodies(context, memory.words, memory.blocks, memory.noise);
}

static const struct isopod_tfhe_method method = {.wire_kind = ISOPOD_KIND_TFHE_PUBLIC,
                                                 .components = 2,
                                                 .needs_twiddles = 1,
                                                 .workspace_bytes = workspace_bytes,
                                                 .blocks = blocks,
                                                 .begin = begin,
                                                 .second = second};

static const isopod_tfhe_opening opening = {&method, ISOPOD_TFHE_KEY_PUBLIC,
                                            ISOPOD_TFHE_KEY_PUBLIC_SEEDED};

isopod_status isopod_tfhe_public_key_open(isopod_tfhe_key *key, const isopod_tfhe_params *params,
                                          const uint32_t *blob, size_t bytes) {
    return isopod_tfhe_key_open(key, &opening, params, blob, bytes);
}
