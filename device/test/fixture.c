#include "fixture.h"

#include "../src/keccak.h"
#include "../src/memory.h"
#include "check.h"

static void fill_bytes(uint8_t *out, uint8_t first, size_t length) {
    for (size_t i = 0; i < length; i++) {
        out[i] = (uint8_t)(first + i);
    }
}

int fixture_fill(void *state, uint8_t *out, size_t length) {
    uint8_t *first = state;
    fill_bytes(out, (*first)++, length);
    return 0;
}

static uint32_t to_montgomery(uint32_t value, uint32_t modulus) {
    return (uint32_t)(((uint64_t)value << 32) % modulus);
}

static void build_tables(fixture *fixture) {
    size_t bytes = ISOPOD_CKKS_TABLES_BYTES(fixture->n, fixture->params->prime_count);
    void *memory = check_memory(bytes);
    CHECK(isopod_ckks_tables_build(&fixture->tables, fixture->params, memory, bytes) == ISOPOD_OK);
}

static isopod_keygen key_pair(fixture *fixture, uint8_t *seeds) {
    uint32_t *ternary = check_memory(fixture->n / 4);
    fill_bytes(seeds, 0x40, 96);
    isopod_keygen_secret(ternary, fixture->params, seeds);
    fixture->ternary = ternary;
    isopod_keygen keygen = {fixture->params, &fixture->tables, seeds + 32, seeds + 64, ternary};
    return keygen;
}

static uint32_t *write_public(const isopod_keygen *keygen, uint32_t *at, uint32_t n, int seeded) {
    uint32_t *scratch = check_memory((size_t)5 * n);
    if (seeded) {
        isopod_copy((uint8_t *)at, keygen->mask_seed, 32);
        at += 8;
    }
    for (uint8_t j = 0; j < keygen->params->prime_count; j++) {
        uint32_t refill = 0;
        isopod_keygen_public(at, keygen, j, scratch);
        if (!seeded) {
            isopod_mask_expand(at + n, &isopod_suite_chacha20, keygen->mask_seed, keygen->params, j,
                               &refill);
        }
        for (uint32_t i = 0; i < (seeded ? n : 2 * n); i++) {
            at[i] = to_montgomery(at[i], keygen->params->primes[j].modulus);
        }
        at += seeded ? n : 2 * n;
    }
    return at;
}

static uint32_t *write_secret(const isopod_keygen *keygen, uint32_t *at, uint32_t n, int ternary) {
    if (ternary) {
        isopod_copy((uint8_t *)at, (const uint8_t *)keygen->ternary, n / 4);
        return at + n / 16;
    }
    for (uint8_t j = 0; j < keygen->params->prime_count; j++, at += n) {
        isopod_keygen_secret_ntt(at, keygen, j);
    }
    return at;
}

void fixture_seal_blob(uint32_t *blob) {
    uint8_t *bytes = (uint8_t *)blob;
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, bytes, 48);
    isopod_keccak_absorb(&sponge, bytes + ISOPOD_KEY_HEADER_BYTES, blob[11]);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, bytes + 48, 32);
}

static void write_header(fixture *fixture, isopod_key_kind kind, uint32_t payload) {
    uint8_t *bytes = (uint8_t *)fixture->blob;
    const uint8_t magic[8] = {'I', 'S', 'O', 'P', 'O', 'D', 'K', '1'};
    isopod_copy(bytes, magic, 8);
    fixture->blob[2] = kind;
    fixture->blob[3] = fixture->n;
    isopod_copy(bytes + 16, fixture->params->set_id, 8);
    fill_bytes(bytes + 24, 0xa0, 16);
    fixture->blob[10] = fixture->params->prime_count;
    fixture->blob[11] = payload;
}

void fixture_open(fixture *fixture, const isopod_ckks_params *params, isopod_key_kind kind) {
    uint8_t *seeds = check_memory(96);
    fixture->params = params;
    fixture->n = 1u << params->log2_ring_degree;
    build_tables(fixture);
    isopod_keygen keygen = key_pair(fixture, seeds);
    fixture->blob = check_memory(ISOPOD_KEY_HEADER_BYTES + 32 +
                                 (size_t)8 * fixture->n * params->prime_count);
    uint32_t *payload = fixture->blob + ISOPOD_KEY_HEADER_BYTES / 4;
    int is_public = kind == ISOPOD_KEY_PUBLIC || kind == ISOPOD_KEY_PUBLIC_SEEDED;
    uint32_t *end = is_public
                        ? write_public(&keygen, payload, fixture->n, kind == ISOPOD_KEY_PUBLIC_SEEDED)
                        : write_secret(&keygen, payload, fixture->n, kind == ISOPOD_KEY_SECRET_TERNARY);
    fixture->blob_bytes = (size_t)(end - fixture->blob) * 4;
    write_header(fixture, kind, (uint32_t)(end - payload) * 4);
    fixture_seal_blob(fixture->blob);
    isopod_status status =
        is_public ? isopod_public_key_open(&fixture->key, params, fixture->blob, fixture->blob_bytes)
                  : isopod_secret_key_open(&fixture->key, params, fixture->blob, fixture->blob_bytes);
    CHECK(status == ISOPOD_OK);
}

void fixture_workspace(fixture *fixture) {
    isopod_ckks_config *config = &fixture->config;
    uint32_t n = fixture->n;
    int wide = config->log2_scale + config->log2_bound > (int)ISOPOD_NARROW_BITS;
    switch (fixture->key.kind) {
    case ISOPOD_KEY_SECRET_TERNARY:
        config->workspace_bytes = ISOPOD_CKKS_SECRET_TERNARY_WORKSPACE(n, config->chunks, wide);
        break;
    case ISOPOD_KEY_SECRET_NTT:
        config->workspace_bytes = ISOPOD_CKKS_SECRET_NTT_WORKSPACE(n, config->chunks, wide);
        break;
    default:
        config->workspace_bytes = ISOPOD_CKKS_PUBLIC_WORKSPACE(n, config->chunks, wide);
        break;
    }
    config->workspace = check_memory(config->workspace_bytes);
}

static int8_t largest_bound(const isopod_ckks_params *params) {
    int bits = -(int)params->log2_scale_default - 2;
    for (uint32_t j = 0; j < params->prime_count; j++) {
        bits += params->primes[j].bits;
    }
    return (int8_t)(bits < 3 ? bits : 3);
}

void fixture_configure(fixture *fixture, const isopod_suite *suite, uint8_t chunks) {
    static uint8_t first;
    first = 0;
    isopod_entropy entropy = {fixture_fill, &first, NULL, 0, {0}, 0};
    isopod_ckks_config config = {fixture->params,
                                 &fixture->tables,
                                 suite,
                                 &fixture->key,
                                 &isopod_wide,
                                 &fixture->entropy,
                                 NULL,
                                 0,
                                 chunks,
                                 fixture->params->log2_scale_default,
                                 largest_bound(fixture->params),
                                 fixture->params->label};
    fixture->entropy = entropy;
    fixture->config = config;
    fixture_workspace(fixture);
}

const float *fixture_values(uint32_t count, int8_t log2_bound, uint32_t seed) {
    float *values = check_memory(count * sizeof(float));
    float unit = log2_bound < 0 ? 1.0f / (float)(1u << -log2_bound) : (float)(1u << log2_bound);
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)((int32_t)seed >> 8) / 8388608.0f * unit;
    }
    return values;
}

size_t fixture_encrypt(fixture *fixture, const isopod_values *values, uint8_t *out,
                       size_t capacity) {
    isopod_ckks context;
    size_t total = 0, length = 0;
    isopod_status status = isopod_ckks_begin(&context, &fixture->config, values);
    while (status == ISOPOD_OK) {
        status = isopod_ckks_next(&context, out + total, capacity, &length);
        total += length;
    }
    CHECK(status == ISOPOD_DONE);
    return status == ISOPOD_DONE ? total : 0;
}

uint32_t fixture_residue(const uint8_t *packed, uint32_t bits, uint32_t index) {
    uint32_t value = 0;
    for (uint32_t b = 0; b < bits; b++) {
        uint32_t at = bits * index + b;
        value |= ((uint32_t)packed[at / 8] >> (at % 8) & 1u) << b;
    }
    return value;
}
