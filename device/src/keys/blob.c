/* Validation of key blobs of CKKS and BFV (spec/wire.md, section 5): header, length, digest, and
 * every residue below its prime. Constant time with respect to the payload. */
#include "blob.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../base/parameters.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Key blobs are used in place and are little endian; this machine is not."
#endif

uint32_t isopod_blob_payload_bytes(const isopod_params *params, uint32_t kind) {
    uint32_t n = UINT32_C(1) << params->log2_ring_degree;
    uint32_t polynomial = n * (ISOPOD_WORD_BITS / 8u);
    uint32_t polynomials = params->prime_count * polynomial;
    switch (kind) {
    case ISOPOD_KEY_PUBLIC:
        return ISOPOD_MASK_SEED_BYTES + 2u * polynomials;
    case ISOPOD_KEY_PUBLIC_SEEDED:
        return ISOPOD_MASK_SEED_BYTES + polynomials;
    case ISOPOD_KEY_SECRET_TERNARY:
        return n / 4u;
    case ISOPOD_KEY_SECRET_NTT:
        return polynomials;
    case ISOPOD_KEY_PUBLIC_PRIME:
        return 4u * isopod_blob_head_words(params, kind) + 2u * polynomial;
    case ISOPOD_KEY_PUBLIC_SEEDED_PRIME:
        return 4u * isopod_blob_head_words(params, kind) + polynomial;
    default:
        return 0;
    }
}

/* 1 if any residue is >= q, otherwise 0. */
static isopod_residue residue_violation(const isopod_residue *residues, uint32_t count,
                                        isopod_residue modulus) {
    isopod_residue violation = 0;
    for (uint32_t i = 0; i < count; i++) {
        violation |= (modulus - 1u - residues[i]) | residues[i];
    }
    return violation >> (ISOPOD_WORD_BITS - 1);
}

/* The prime of a blob of one prime; 0 in other blobs. */
/*@ requires \valid_read(blob + ISOPOD_KEY_WORD_PRIMES);
    assigns \nothing;
    ensures \result == blob[ISOPOD_KEY_WORD_PRIMES] / 0x10000; */
static uint32_t first_prime(const uint32_t *blob) {
    return blob[ISOPOD_KEY_WORD_PRIMES] >> ISOPOD_KEY_PRIME_SHIFT;
}

/*@ requires \valid_read(params) && \valid_read(blob + ISOPOD_KEY_WORD_KIND);
    assigns \nothing;
    ensures \result == 1 || \result == params->prime_count; */
static uint32_t primes_held(const isopod_params *params, const uint32_t *blob) {
    return blob[ISOPOD_KEY_WORD_KIND] < ISOPOD_KEY_PUBLIC_PRIME ? params->prime_count : 1u;
}

static uint32_t has_valid_residues(const isopod_params *params, const uint32_t *blob,
                                   uint32_t polynomials_per_prime) {
    uint32_t count = polynomials_per_prime << params->log2_ring_degree;
    uint32_t first = first_prime(blob), end = first + primes_held(params, blob);
    const isopod_residue *residues = isopod_blob_residues(params, blob);
    isopod_residue violation = 0;
    for (uint32_t j = first; j < end; j++, residues += count) {
        violation |= residue_violation(residues, count, isopod_word_prime_of(params, j)->modulus);
    }
    ISOPOD_DECLASSIFY(violation);
    return violation == 0;
}

static uint32_t is_valid_payload(const isopod_params *params, const uint32_t *blob) {
    switch (blob[ISOPOD_KEY_WORD_KIND]) {
    case ISOPOD_KEY_PUBLIC:
    case ISOPOD_KEY_PUBLIC_PRIME:
        return has_valid_residues(params, blob, 2);
    case ISOPOD_KEY_SECRET_TERNARY:
        return isopod_blob_has_valid_symbols(blob + ISOPOD_KEY_HEADER_BYTES / 4,
                                             UINT32_C(1) << params->log2_ring_degree);
    default:
        return has_valid_residues(params, blob, 1);
    }
}

/* Checks the field `primes`: the number of primes, and in its upper half the prime of a blob of one
 * prime. */
static uint32_t has_valid_primes(const isopod_params *params, const uint32_t *blob) {
    uint32_t most = params->prime_count - primes_held(params, blob);
    return (blob[ISOPOD_KEY_WORD_PRIMES] & 0xffffu) == params->prime_count &&
           first_prime(blob) <= most;
}

ISOPOD_SMALL isopod_status isopod_blob_check_header(const isopod_params *params,
                                                    const uint32_t *blob, size_t bytes) {
    if (!isopod_blob_has_magic(blob, bytes)) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    if (!isopod_equal((const uint8_t *)(blob + ISOPOD_KEY_WORD_SET_ID), params->set_id,
                      ISOPOD_SET_ID_BYTES)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    uint32_t payload = isopod_blob_payload_bytes(params, blob[ISOPOD_KEY_WORD_KIND]);
    if (payload == 0 ||
        blob[ISOPOD_KEY_WORD_RING_DEGREE] != UINT32_C(1) << params->log2_ring_degree ||
        !has_valid_primes(params, blob) || blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] != payload ||
        bytes != (size_t)payload + ISOPOD_KEY_HEADER_BYTES) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    return ISOPOD_OK;
}

ISOPOD_SMALL isopod_status isopod_blob_check(const isopod_params *params, const uint32_t *blob,
                                             size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (isopod_parameters_has_primes64(params) != (ISOPOD_WORD_BITS == 64)) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status == ISOPOD_OK) {
        status = isopod_blob_check_header(params, blob, bytes);
    }
    if (status == ISOPOD_OK &&
        (!isopod_blob_has_valid_digest(blob, blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES]) ||
         !is_valid_payload(params, blob))) {
        status = ISOPOD_ERROR_KEY_FORMAT;
    }
    return status;
}
