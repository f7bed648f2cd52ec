/* Shares of holders: opened where they lie, and checked in full. Constant time with respect to the
 * share. */
#include "share.h"

#include "../base/memory.h"
#include "../base/parameters.h"
#include "../keys/blob.h"
#include "../ring/ntt.h"
#include "fraction.h"

/* The noise is below 14 * 2^m. */
#define NOISE_BITS 4u

static isopod_status check_header(const isopod_holder *holder, size_t bytes) {
    const isopod_params *params = holder->params;
    const uint32_t *blob = holder->blob;
    uint32_t n = UINT32_C(1) << params->log2_ring_degree;
    uint32_t payload = (uint32_t)sizeof(isopod_share_head) + 4u * n * ISOPOD_HOLDER_PRIMES;
    if (!isopod_blob_has_magic(blob, bytes)) {
        return ISOPOD_ERROR_KEY_FORMAT;
    }
    if (!isopod_equal((const uint8_t *)(blob + ISOPOD_KEY_WORD_SET_ID), params->set_id,
                      ISOPOD_SET_ID_BYTES)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    if (blob[ISOPOD_KEY_WORD_KIND] != ISOPOD_KEY_HOLDER_SHARE) {
        return ISOPOD_ERROR_KEY_KIND;
    }
    return blob[ISOPOD_KEY_WORD_RING_DEGREE] == n &&
                   blob[ISOPOD_KEY_WORD_PRIMES] == ISOPOD_HOLDER_PRIMES &&
                   blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES] == payload &&
                   bytes == (size_t)payload + ISOPOD_KEY_HEADER_BYTES
               ? ISOPOD_OK
               : ISOPOD_ERROR_KEY_FORMAT;
}

static uint32_t has_valid_head(const isopod_holder *holder) {
    const isopod_share_head *head = isopod_share_head_of(holder);
    uint32_t modulus_bits = isopod_fraction_modulus_bits(holder->params);
    return head->number - 1u < head->holders && head->holders <= ISOPOD_HOLDERS &&
           head->threshold - 2u <= head->holders - 2u && head->holders >= 2 && head->frames != 0 &&
           head->bits - 1u < ISOPOD_HOLDER_FRACTION_BITS && head->shift != 0 &&
           head->shift <= ISOPOD_FLOOD_SHIFT && head->shift + NOISE_BITS < modulus_bits;
}

static uint32_t has_valid_residues(const isopod_holder *holder) {
    uint32_t n = UINT32_C(1) << holder->params->log2_ring_degree, valid = 1;
    for (uint32_t j = 0; j < ISOPOD_HOLDER_PRIMES; j++) {
        valid &= isopod_blob_has_valid_residues(isopod_share_residues(holder, j), n,
                                                holder->params->primes[j].modulus);
    }
    return valid;
}

static isopod_status check_set(const isopod_holder *holder) {
    const isopod_params *params = holder->params;
    isopod_status status = isopod_parameters_check(params);
    if (status == ISOPOD_OK &&
        (params->plain == NULL || isopod_parameters_has_primes64(params) ||
         params->prime_count != ISOPOD_HOLDER_PRIMES ||
         isopod_fraction_modulus_bits(params) < ISOPOD_FRACTION_MODULUS_LEAST)) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    return status == ISOPOD_OK && !isopod_tables_fit(holder->tables, params) ? ISOPOD_ERROR_TABLES
                                                                             : status;
}

static isopod_status check(const isopod_holder *holder, size_t bytes) {
    isopod_status status = check_set(holder);
    if (status == ISOPOD_OK) {
        status = check_header(holder, bytes);
    }
    if (status == ISOPOD_OK &&
        (!isopod_blob_has_valid_digest(holder->blob, holder->blob[ISOPOD_KEY_WORD_PAYLOAD_BYTES]) ||
         !has_valid_head(holder) || !has_valid_residues(holder))) {
        status = ISOPOD_ERROR_KEY_FORMAT;
    }
    return status;
}

isopod_status isopod_holder_open(isopod_holder *holder, const isopod_params *params,
                                 const isopod_tables *tables, const uint32_t *blob, size_t bytes) {
    holder->params = params;
    holder->tables = tables;
    holder->blob = blob;
    isopod_status status = check(holder, bytes);
    isopod_wipe_stack();
    if (status != ISOPOD_OK) {
        isopod_wipe(holder, sizeof *holder);
    }
    return status;
}

/* Whether the job's name is this text, which is terminated. */
static uint32_t is_job(const isopod_result *result, const char *name) {
    uint32_t i = 0;
    while (i < result->job_bytes && name[i] != '\0' && result->job[i] == (uint8_t)name[i]) {
        i++;
    }
    return i == result->job_bytes && name[i] == '\0';
}

static isopod_status allowed(const isopod_holder *holder, const isopod_result *result) {
    if (!isopod_equal(result->key_id, (const uint8_t *)(holder->blob + ISOPOD_KEY_WORD_KEY_ID),
                      ISOPOD_KEY_ID_BYTES)) {
        return ISOPOD_ERROR_KEY_SET;
    }
    if (result->layout != ISOPOD_SLOTS) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (result->claim.primes != ISOPOD_HOLDER_PRIMES) {
        return ISOPOD_ERROR_LEVEL;
    }
    return is_job(result, "sum") && result->frames <= isopod_share_head_of(holder)->frames
               ? ISOPOD_OK
               : ISOPOD_ERROR_CIRCUIT;
}

isopod_status isopod_holder_read(isopod_result *result, const isopod_holder *holder,
                                 const uint8_t *item, size_t bytes) {
    const uint8_t *link = (const uint8_t *)isopod_share_head_of(holder)->link;
    isopod_status status = isopod_result_open(result, holder->params, link, item, bytes);
    if (status == ISOPOD_OK) {
        status = allowed(holder, result);
    }
    if (status != ISOPOD_OK) {
        isopod_wipe(result, sizeof *result);
    }
    return status;
}
