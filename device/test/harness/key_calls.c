/* Calls that make key pairs, in the word size that this file is compiled for. */
#include "key_calls.h"

#include "../../src/base/memory.h"
#include "../../src/base/parameters.h"
#include "../../src/keys/key_identity.h"
#include "check.h"

#if ISOPOD_WORD_BITS == 64
#define WORD_KEY_PAIR_WORKSPACE ISOPOD64_KEY_PAIR_WORKSPACE
#define key_calls32 key_calls64
#else
#define WORD_KEY_PAIR_WORKSPACE ISOPOD_KEY_PAIR_WORKSPACE
#endif

static size_t workspace_bytes(uint32_t n, uint8_t chunks) {
    return WORD_KEY_PAIR_WORKSPACE(n, chunks);
}

static const isopod_residue *payload_of(const uint32_t *blob) {
    return (const void *)(blob + ISOPOD_KEY_HEADER_BYTES / 4);
}

static isopod_status identify(uint8_t key_id[ISOPOD_KEY_ID_BYTES], const isopod_key_pair *pair,
                              const uint32_t *blob) {
    return isopod_key_identify(key_id, pair->config->params, pair->kind, payload_of(blob));
}

static isopod_status head(uint32_t *blob, const isopod_key_pair *pair, const uint8_t *key_id) {
    return isopod_key_header((uint8_t *)blob, pair->config->params, pair->kind, payload_of(blob),
                             key_id);
}

static void digest(uint8_t out[ISOPOD_DIGEST_BYTES], const isopod_params *params,
                   const uint32_t *residues, uint32_t prime) {
    isopod_key_digest(out, params, (const void *)residues, prime);
}

const key_calls key_calls32 = {workspace_bytes,
                               isopod_key_pair_begin,
                               isopod_key_pair_start,
                               isopod_key_pair_payload,
                               isopod_key_pair_next,
                               isopod_key_pair_close,
                               identify,
                               head,
                               digest};

#if ISOPOD_WORD_BITS == 32
const key_calls *key_calls_of(const isopod_params *params) {
    return isopod_parameters_has_primes64(params) ? &key_calls64 : &key_calls32;
}

uint32_t key_payload_bytes(const isopod_params *params, isopod_key_kind kind) {
    uint32_t word_bytes = isopod_parameters_has_primes64(params) ? 8 : 4;
    uint32_t polynomials = word_bytes * params->prime_count << params->log2_ring_degree;
    return kind == ISOPOD_KEY_PUBLIC           ? 2 * polynomials + 32
           : kind == ISOPOD_KEY_PUBLIC_SEEDED  ? polynomials + 32
           : kind == ISOPOD_KEY_SECRET_TERNARY ? 1u << (params->log2_ring_degree - 2u)
                                               : polynomials;
}

void key_payload(isopod_key_pair *pair, isopod_key_kind kind, uint32_t *blob, size_t capacity) {
    const isopod_params *params = pair->config->params;
    const key_calls *calls = key_calls_of(params);
    uint32_t total = key_payload_bytes(params, kind), written = 0;
    size_t mark = check_memory_mark();
    uint8_t *payload = (uint8_t *)blob + ISOPOD_KEY_HEADER_BYTES, *at = check_memory(capacity);
    isopod_key_piece piece;
    isopod_status status = calls->payload(pair, kind);
    while (status == ISOPOD_OK) {
        status = calls->next(pair, at, capacity, &piece);
        CHECK_QUIET(piece.length <= capacity && piece.offset + piece.length <= total);
        isopod_copy(payload + piece.offset, at, piece.length);
        written += piece.length;
    }
    CHECK(status == ISOPOD_DONE && written == total);
    check_memory_release(mark);
}
#endif
