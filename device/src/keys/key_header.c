/* Identity and header of key blobs (spec/wire.md, section 5) by SHA3-256 of payloads, which are
 * read in place. */
#include "blob.h"
#include "isopod/key_pair.h"
#include "../random/keccak.h"
#include "../base/memory.h"
#include "../ring/montgomery.h"
#include "../ring/packing.h"
#include "key_identity.h"

/* Residues that are packed together; they fill whole words. */
#define GROUP ISOPOD_WORD_BITS

/* Absorbs the canonical residues of one polynomial, packed. */
static void absorb_packed(isopod_keccak *sponge, const isopod_residue *residues, uint32_t n,
                          const isopod_word_prime *prime) {
    isopod_residue group[GROUP];
    for (uint32_t i = 0; i < n; i += GROUP) {
        for (uint32_t k = 0; k < GROUP; k++) {
            isopod_word value = isopod_montgomery((isopod_word)residues[i + k], 1, prime);
            group[k] = isopod_canonical(value, prime);
        }
        uint32_t bytes = isopod_pack_in_place(group, GROUP, prime->bits);
        isopod_keccak_absorb(sponge, (const uint8_t *)group, bytes);
    }
}

ISOPOD_FRAME_APART void isopod_key_digest(uint8_t digest[ISOPOD_DIGEST_BYTES],
                                          const isopod_params *params,
                                          const isopod_residue *residues, uint32_t prime) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    absorb_packed(&sponge, residues, UINT32_C(1) << params->log2_ring_degree,
                  isopod_word_prime_of(params, prime));
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, ISOPOD_DIGEST_BYTES);
}

/* Absorbs what comes before the digests. */
static void start_key_id(isopod_keccak *sponge, const isopod_params *params, const uint8_t *seed) {
    static const uint8_t label[] = ISOPOD_HASH_LABEL_KEY_ID;
    isopod_keccak_start(sponge);
    isopod_keccak_absorb(sponge, label, sizeof label);
    isopod_keccak_absorb(sponge, params->set_id, sizeof params->set_id);
    isopod_keccak_absorb(sponge, seed, ISOPOD_MASK_SEED_BYTES);
}

static void finish_key_id(isopod_keccak *sponge, uint8_t key_id[ISOPOD_KEY_ID_BYTES]) {
    isopod_keccak_finish(sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(sponge, key_id, ISOPOD_KEY_ID_BYTES);
}

ISOPOD_FRAME_APART void isopod_key_id_of(uint8_t key_id[ISOPOD_KEY_ID_BYTES],
                                         const isopod_params *params, const uint8_t *head) {
    isopod_keccak sponge;
    start_key_id(&sponge, params, head);
    isopod_keccak_absorb(&sponge, head + ISOPOD_MASK_SEED_BYTES,
                         (size_t)params->prime_count * ISOPOD_DIGEST_BYTES);
    finish_key_id(&sponge, key_id);
}

isopod_status isopod_key_identify(uint8_t key_id[ISOPOD_KEY_ID_BYTES],
                                  const isopod_ckks_params *params, isopod_key_kind kind,
                                  const isopod_residue *payload) {
    uint32_t n = UINT32_C(1) << params->log2_ring_degree, is_plain = kind == ISOPOD_KEY_PUBLIC;
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    isopod_keccak sponge;
    if (!is_plain && kind != ISOPOD_KEY_PUBLIC_SEEDED) {
        isopod_wipe(key_id, ISOPOD_KEY_ID_BYTES);
        return ISOPOD_ERROR_KEY_KIND;
    }
    start_key_id(&sponge, params, (const uint8_t *)payload);
    payload += 8u * ISOPOD_MASK_SEED_BYTES / ISOPOD_WORD_BITS;
    for (uint32_t j = 0; j < params->prime_count; j++, payload += is_plain ? 2 * n : n) {
        isopod_key_digest(digest, params, payload, j);
        isopod_keccak_absorb(&sponge, digest, sizeof digest);
    }
    finish_key_id(&sponge, key_id);
    return ISOPOD_OK;
}

ISOPOD_FRAME_APART static void absorb_and_squeeze(uint8_t digest[ISOPOD_DIGEST_BYTES],
                                                  const uint8_t header[ISOPOD_KEY_OFFSET_DIGEST],
                                                  const isopod_residue *payload, uint32_t bytes) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, header, ISOPOD_KEY_OFFSET_DIGEST);
    isopod_keccak_absorb(&sponge, (const uint8_t *)payload, bytes);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, ISOPOD_DIGEST_BYTES);
    isopod_wipe(&sponge, sizeof sponge);
}

isopod_status isopod_key_header(uint8_t header[ISOPOD_KEY_HEADER_BYTES],
                                const isopod_ckks_params *params, isopod_key_kind kind,
                                const isopod_residue *payload,
                                const uint8_t key_id[ISOPOD_KEY_ID_BYTES]) {
    static const uint8_t magic[] = ISOPOD_KEY_MAGIC;
    uint32_t bytes = isopod_blob_payload_bytes(params, kind);
    if (bytes == 0 || kind > ISOPOD_KEY_SECRET_NTT) {
        isopod_wipe(header, ISOPOD_KEY_HEADER_BYTES);
        return ISOPOD_ERROR_KEY_KIND;
    }
    isopod_copy(header, magic, sizeof magic);
    isopod_store32(header + ISOPOD_KEY_OFFSET_KIND, (uint32_t)kind);
    isopod_store32(header + ISOPOD_KEY_OFFSET_RING_DEGREE, UINT32_C(1) << params->log2_ring_degree);
    isopod_copy(header + ISOPOD_KEY_OFFSET_SET_ID, params->set_id, sizeof params->set_id);
    isopod_copy(header + ISOPOD_KEY_OFFSET_KEY_ID, key_id, ISOPOD_KEY_ID_BYTES);
    isopod_store32(header + ISOPOD_KEY_OFFSET_PRIMES, params->prime_count);
    isopod_store32(header + ISOPOD_KEY_OFFSET_PAYLOAD_BYTES, bytes);
    absorb_and_squeeze(header + ISOPOD_KEY_OFFSET_DIGEST, header, payload, bytes);
    isopod_wipe_stack();
    return ISOPOD_OK;
}
