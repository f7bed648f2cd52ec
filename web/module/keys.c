/* Key pairs by the device library, blob by blob. */
#include "keys.h"

#include "memory.h"

#define KEY_KINDS 4u

key_maker *keys_begin(uint32_t number, uint8_t *entropy, int32_t *status) {
    const isopod_params *const params = set_of(number);
    key_maker *const maker = memory_take(sizeof *maker);
    *status = params == NULL ? ISOPOD_ERROR_PARAMETERS : STATUS_MEMORY;
    if (maker == NULL || params == NULL) {
        return NULL;
    }
    const size_t n = (size_t)1 << params->log2_ring_degree;
    const int wide = params->primes64 != NULL;
    const size_t bytes = wide ? ISOPOD64_KEY_PAIR_WORKSPACE(n, 1) : ISOPOD_KEY_PAIR_WORKSPACE(n, 1);
    maker->workspace = (isopod_workspace){memory_take(bytes), bytes};
    if (maker->workspace.memory == NULL) {
        return NULL;
    }
    *status = set_tables(&maker->tables, params);
    if (*status != ISOPOD_OK) {
        return NULL;
    }
    entropy_give(&maker->given, &maker->entropy, entropy);
    maker->config =
        (isopod_key_pair_config){.params = params, .tables = &maker->tables, .chunks = 1};
    *status = (wide ? isopod64_key_pair_begin : isopod_key_pair_begin)(
        &maker->pair, &maker->config, &maker->workspace, &maker->entropy);
    return *status == ISOPOD_OK ? maker : NULL;
}

const uint8_t *keys_id(const key_maker *maker) {
    return maker->key_id;
}

static size_t payload_bytes(const isopod_params *params, uint32_t kind) {
    const size_t n = (size_t)1 << params->log2_ring_degree;
    const size_t words = n * params->prime_count * (params->primes64 == NULL ? 4u : 8u);
    switch (kind) {
    case ISOPOD_KEY_PUBLIC:
        return ISOPOD_MASK_SEED_BYTES + 2u * words;
    case ISOPOD_KEY_PUBLIC_SEEDED:
        return ISOPOD_MASK_SEED_BYTES + words;
    case ISOPOD_KEY_SECRET_TERNARY:
        return n / 4u;
    default:
        return words;
    }
}

size_t keys_blob_bytes(uint32_t number, uint32_t kind) {
    const isopod_params *const params = set_of(number);
    if (params == NULL || kind == 0 || kind > KEY_KINDS) {
        return 0;
    }
    return ISOPOD_KEY_HEADER_BYTES + payload_bytes(params, kind);
}

/* Writes the payload in pieces, each where it belongs. */
static isopod_status write_payload(key_maker *maker, isopod_key_kind kind, uint8_t *payload) {
    const int wide = maker->config.params->primes64 != NULL;
    uint8_t bytes[256];
    isopod_status status = wide ? isopod64_key_pair_payload(&maker->pair, kind)
                                : isopod_key_pair_payload(&maker->pair, kind);
    while (status == ISOPOD_OK) {
        isopod_key_piece piece;
        status = wide ? isopod64_key_pair_next(&maker->pair, bytes, sizeof bytes, &piece)
                      : isopod_key_pair_next(&maker->pair, bytes, sizeof bytes, &piece);
        if (status == ISOPOD_OK) {
            __builtin_memcpy(payload + piece.offset, bytes, piece.length);
        }
    }
    __builtin_memset(bytes, 0, sizeof bytes);
    __asm__ volatile("" : : "r"(bytes) : "memory");
    return status;
}

int32_t keys_blob(key_maker *maker, uint32_t number, uint32_t kind, void *blob) {
    const isopod_params *const params = maker->config.params;
    uint8_t *const payload = (uint8_t *)blob + ISOPOD_KEY_HEADER_BYTES;
    const isopod_key_kind of = (isopod_key_kind)kind;
    isopod_status status = write_payload(maker, of, payload);
    if (status != ISOPOD_DONE) {
        return status;
    }
    if (of == ISOPOD_KEY_PUBLIC_SEEDED) {
        const int32_t identified = keys_identify(number, kind, payload, maker->key_id);
        if (identified != ISOPOD_OK) {
            return identified;
        }
    }
    return params->primes64 == NULL
               ? isopod_key_header(blob, params, of, (const void *)payload, maker->key_id)
               : isopod64_key_header(blob, params, of, (const void *)payload, maker->key_id);
}

void keys_close(key_maker *maker) {
    if (maker->config.params->primes64 == NULL) {
        isopod_key_pair_close(&maker->pair);
    } else {
        isopod64_key_pair_close(&maker->pair);
    }
}

int32_t keys_identify(uint32_t number, uint32_t kind, const void *payload, uint8_t *key_id) {
    const isopod_params *const params = set_of(number);
    if (params == NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    return params->primes64 == NULL
               ? isopod_key_identify(key_id, params, (isopod_key_kind)kind, payload)
               : isopod64_key_identify(key_id, params, (isopod_key_kind)kind, payload);
}

int32_t keys_mask(uint32_t number, uint32_t prime, const uint8_t *seed, void *residues,
                  uint32_t *refill) {
    const isopod_params *const params = set_of(number);
    if (params == NULL || prime >= params->prime_count) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    if (params->primes64 == NULL) {
        isopod_mask_expand(residues, &isopod_suite_chacha20, seed, params, (uint8_t)prime, refill);
    } else {
        isopod64_mask_expand(residues, &isopod_suite_chacha20, seed, params, (uint8_t)prime,
                             refill);
    }
    return ISOPOD_OK;
}
