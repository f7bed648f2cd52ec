#include "blob.h"

#include "constant_time.h"
#include "keccak.h"
#include "memory.h"
#include "parameters.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Key blobs are used in place and are little endian; this machine is not."
#endif

#define DIGEST_OFFSET 48u

uint32_t isopod_blob_payload_bytes(const isopod_params *params, uint32_t kind) {
    uint32_t n = 1u << params->log2_ring_degree;
    uint32_t polynomials = (uint32_t)params->prime_count * n * (ISOPOD_LIMB_BITS / 8u);
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

static uint32_t is_digest_right(const uint32_t *blob, uint32_t payload) {
    const uint8_t *bytes = (const uint8_t *)blob;
    uint8_t digest[32];
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, bytes, DIGEST_OFFSET);
    isopod_keccak_absorb(&sponge, bytes + ISOPOD_KEY_HEADER_BYTES, payload);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, sizeof digest);
    isopod_wipe(&sponge, sizeof sponge);
    return isopod_equal(digest, bytes + DIGEST_OFFSET, sizeof digest);
}

/* 1 if any residue is >= q, otherwise 0. */
static isopod_residue residue_offence(const isopod_residue *residues, uint32_t count,
                                      isopod_residue modulus) {
    isopod_residue offence = 0;
    for (uint32_t i = 0; i < count; i++) {
        offence |= (modulus - 1u - residues[i]) | residues[i];
    }
    return offence >> (ISOPOD_LIMB_BITS - 1);
}

static uint32_t are_residues_sound(const isopod_params *params, const uint32_t *payload,
                                   uint32_t polynomials_per_prime) {
    uint32_t count = polynomials_per_prime << params->log2_ring_degree;
    const isopod_residue *residues = (const void *)payload;
    isopod_residue offence = 0;
    for (uint32_t j = 0; j < params->prime_count; j++, residues += count) {
        offence |= residue_offence(residues, count, isopod_limb_prime_of(params, j)->modulus);
    }
    ISOPOD_DECLASSIFY(offence);
    return offence == 0;
}

static uint32_t are_symbols_sound(const isopod_params *params, const uint32_t *symbols) {
    uint32_t offence = 0;
    for (uint32_t i = 0; i < 1u << params->log2_ring_degree; i += 16) {
        uint32_t word = symbols[i / 16];
        offence |= word & (word >> 1) & 0x55555555u;
    }
    ISOPOD_DECLASSIFY(offence);
    return offence == 0;
}

static uint32_t is_payload_sound(const isopod_params *params, const uint32_t *blob) {
    const uint32_t *payload = blob + ISOPOD_KEY_HEADER_BYTES / 4;
    switch (blob[2]) {
    case ISOPOD_KEY_PUBLIC:
        return are_residues_sound(params, payload, 2);
    case ISOPOD_KEY_PUBLIC_SEEDED:
        return are_residues_sound(params, payload + 8, 1);
    case ISOPOD_KEY_SECRET_TERNARY:
        return are_symbols_sound(params, payload);
    default:
        return are_residues_sound(params, payload, 1);
    }
}

static isopod_status check_header(const isopod_params *params, const uint32_t *blob, size_t bytes) {
    static const uint8_t magic[8] = {'I', 'S', 'O', 'P', 'O', 'D', 'K', '1'};
    if (bytes < ISOPOD_KEY_HEADER_BYTES || !isopod_equal((const uint8_t *)blob, magic, 8)) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    if (!isopod_equal((const uint8_t *)(blob + 4), params->set_id, 8)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    uint32_t payload = isopod_blob_payload_bytes(params, blob[2]);
    if (payload == 0 || blob[3] != 1u << params->log2_ring_degree ||
        blob[10] != params->prime_count || blob[11] != payload ||
        bytes != (size_t)payload + ISOPOD_KEY_HEADER_BYTES) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    return ISOPOD_OK;
}

isopod_status isopod_blob_check(const isopod_params *params, const uint32_t *blob, size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (isopod_parameters_is_wide(params) != (ISOPOD_LIMB_BITS == 64)) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status == ISOPOD_OK) {
        status = check_header(params, blob, bytes);
    }
    if (status == ISOPOD_OK &&
        (!is_digest_right(blob, blob[11]) || !is_payload_sound(params, blob))) {
        status = ISOPOD_ERROR_KEY_FORMAT;
    }
    return status;
}
