/* The parts that all decoders of CKKS share (spec/decryption.md, section 2): checks, the reciprocal
 * of the scale, and slots as values. Bounds: log2_bound -60 .. 57, L from 0 to log2 Q - 2. */
#include "decode_reals.h"

#include "../base/parameters.h"

#define MANTISSA_BITS 52u
#define MANTISSA (((uint64_t)1 << MANTISSA_BITS) - 1u)

/* rho of the specification, by long division: 2^115 / (mantissa with its leading one). */
static uint64_t reciprocal(uint64_t bits) {
    uint64_t divisor = (bits & MANTISSA) | (MANTISSA + 1u), rest = MANTISSA + 1u, quotient = 0;
    if ((bits & MANTISSA) == 0) {
        return (uint64_t)1 << 62;
    }
    for (uint32_t i = 0; i < 63; i++) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient |= 1u;
        }
    }
    return quotient;
}

isopod_decoding isopod_reals_decoding(const isopod_decrypt *context) {
    const isopod_decrypt_config *config = context->config;
    isopod_decoding decoding = {UINT32_C(1) << config->params->log2_ring_degree,
                                isopod_log2_scale(context->claim.scale) + config->log2_bound};
    return decoding;
}

static isopod_status check_bound(const isopod_decrypt_config *config, const isopod_claim *claim) {
    int32_t magnitude = isopod_log2_scale(claim->scale) + config->log2_bound;
    int32_t most = (int32_t)isopod_parameters_data_bits(config->params, claim->primes) - 2;
    if (config->log2_bound < -60 || config->log2_bound > 57 || magnitude < 0 || magnitude > most) {
        return ISOPOD_ERROR_BOUND;
    }
    return magnitude > ISOPOD_DECODE32_LIMIT && config->tables->cosine64 == NULL
               ? ISOPOD_ERROR_BOUND
               : ISOPOD_OK;
}

isopod_status isopod_reals_check(const isopod_decrypt_config *config, const isopod_claim *claim) {
    if (config->params->plain != NULL) {
        return ISOPOD_ERROR_LAYOUT;
    }
    isopod_status status = isopod_claim_check(config->params, claim);
    if (status == ISOPOD_OK && config->layout != ISOPOD_SLOTS) {
        status = ISOPOD_ERROR_LAYOUT;
    }
    return status == ISOPOD_OK ? check_bound(config, claim) : status;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == ISOPOD_OK ==> ISOPOD_VALUES_FLOAT32 <= type <= ISOPOD_VALUES_INT64;
    ensures \result == ISOPOD_OK && type == ISOPOD_VALUES_INT32 ==> config->log2_bound <= 30; */
isopod_status isopod_reals_check_type(const isopod_decrypt_config *config, isopod_value_type type) {
    if (type < ISOPOD_VALUES_FLOAT32 || type > ISOPOD_VALUES_INT64) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    return type == ISOPOD_VALUES_INT32 && config->log2_bound > 30 ? ISOPOD_ERROR_BOUND : ISOPOD_OK;
}

isopod_slots isopod_reals_slots(const isopod_decrypt *context, isopod_value_type type) {
    const isopod_claim *claim = &context->claim;
    isopod_decoding decoding = isopod_reals_decoding(context);
    int32_t bits =
        decoding.magnitude <= ISOPOD_DECODE32_LIMIT ? ISOPOD_DECODE32_BITS : ISOPOD_DECODE64_BITS;
    isopod_slots slots = {decoding.n,
                          claim->first,
                          claim->rows,
                          claim->columns,
                          claim->stride,
                          reciprocal(claim->scale),
                          context->config->log2_bound - bits - 2,
                          type};
    return slots;
}

uint32_t isopod_reals_finish32(const isopod_decrypt *context, const isopod_decoded *out,
                               int32_t *words, int32_t *folded) {
    isopod_slots slots = isopod_reals_slots(context, out->type);
    uint32_t refused = isopod_decode32(words, folded, context->config->tables->cosine32, slots.n);
    isopod_slots32(out->data, words, &slots);
    return refused;
}
