#include "blob.h"

#include "constant_time.h"
#include "keccak.h"
#include "memory.h"
#include "parameters.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Key blobs are used in place and are little endian; this machine is not."
#endif

#define DIGEST_OFFSET 48u

static uint32_t payload_bytes(const isopod_ckks_params *params, uint32_t kind) {
    uint32_t n = 1u << params->log2_ring_degree;
    uint32_t polynomials = (uint32_t)params->prime_count * n * 4u;
    switch (kind) {
    case ISOPOD_KEY_PUBLIC:
        return 2u * polynomials;
    case ISOPOD_KEY_PUBLIC_SEEDED:
        return 32u + polynomials;
    case ISOPOD_KEY_SECRET_TERNARY:
        return n / 4u;
    case ISOPOD_KEY_SECRET_NTT:
        return polynomials;
    default:
        return 0;
    }
}

void isopod_blob_digest(uint8_t digest[32], const uint32_t *blob, uint32_t payload) {
    const uint8_t *bytes = (const uint8_t *)blob;
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, bytes, DIGEST_OFFSET);
    isopod_keccak_absorb(&sponge, bytes + ISOPOD_KEY_HEADER_BYTES, payload);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, 32);
    isopod_wipe(&sponge, sizeof sponge);
}

uint32_t isopod_blob_digest_is_right(const uint32_t *blob, uint32_t payload) {
    uint8_t digest[32];
    isopod_blob_digest(digest, blob, payload);
    return isopod_equal(digest, (const uint8_t *)blob + DIGEST_OFFSET, sizeof digest);
}

/* Top bit set if any residue is >= q. */
static uint32_t residue_offence(const uint32_t *residues, uint32_t count, uint32_t modulus) {
    uint32_t offence = 0;
    for (uint32_t i = 0; i < count; i++) {
        offence |= (modulus - 1u - residues[i]) | residues[i];
    }
    return offence & 0x80000000u;
}

static uint32_t are_residues_sound(const isopod_ckks_params *params, const uint32_t *residues,
                                   uint32_t polynomials_per_prime) {
    uint32_t count = polynomials_per_prime << params->log2_ring_degree;
    uint32_t offence = 0;
    for (uint32_t j = 0; j < params->prime_count; j++, residues += count) {
        offence |= residue_offence(residues, count, params->primes[j].modulus);
    }
    ISOPOD_DECLASSIFY(offence);
    return offence == 0;
}

uint32_t isopod_blob_residues_are_sound(const uint32_t *residues, uint32_t count,
                                        uint32_t modulus) {
    uint32_t offence = residue_offence(residues, count, modulus);
    ISOPOD_DECLASSIFY(offence);
    return offence == 0;
}

uint32_t isopod_blob_symbols_are_sound(const uint32_t *symbols, uint32_t count) {
    uint32_t offence = 0;
    for (uint32_t i = 0; i < count; i += 16) {
        uint32_t word = symbols[i / 16];
        offence |= word & (word >> 1) & 0x55555555u;
    }
    ISOPOD_DECLASSIFY(offence);
    return offence == 0;
}

uint32_t isopod_blob_has_magic(const uint32_t *blob, size_t bytes) {
    static const uint8_t magic[8] = {'I', 'S', 'O', 'P', 'O', 'D', 'K', '1'};
    return bytes >= ISOPOD_KEY_HEADER_BYTES && isopod_equal((const uint8_t *)blob, magic, 8);
}

static uint32_t is_payload_sound(const isopod_ckks_params *params, const uint32_t *blob) {
    const uint32_t *payload = blob + ISOPOD_KEY_HEADER_BYTES / 4;
    switch (blob[2]) {
    case ISOPOD_KEY_PUBLIC:
        return are_residues_sound(params, payload, 2);
    case ISOPOD_KEY_PUBLIC_SEEDED:
        return are_residues_sound(params, payload + 8, 1);
    case ISOPOD_KEY_SECRET_TERNARY:
        return isopod_blob_symbols_are_sound(payload, 1u << params->log2_ring_degree);
    default:
        return are_residues_sound(params, payload, 1);
    }
}

static isopod_status check_header(const isopod_ckks_params *params, const uint32_t *blob,
                                  size_t bytes) {
    if (!isopod_blob_has_magic(blob, bytes)) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    if (!isopod_equal((const uint8_t *)(blob + 4), params->set_id, 8)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    uint32_t payload = payload_bytes(params, blob[2]);
    if (payload == 0 || blob[3] != 1u << params->log2_ring_degree ||
        blob[10] != params->prime_count || blob[11] != payload ||
        bytes != (size_t)payload + ISOPOD_KEY_HEADER_BYTES) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    return ISOPOD_OK;
}

isopod_status isopod_blob_check(const isopod_ckks_params *params, const uint32_t *blob,
                                size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (status == ISOPOD_OK) {
        status = check_header(params, blob, bytes);
    }
    if (status == ISOPOD_OK &&
        (!isopod_blob_digest_is_right(blob, blob[11]) || !is_payload_sound(params, blob))) {
        status = ISOPOD_ERROR_KEY_FORMAT;
    }
    return status;
}
