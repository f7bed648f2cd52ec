/* The decoder of CKKS results whose values are coefficients (spec/coefficients.md, section 5), of
 * one or two 32-bit primes. It combines and checks only the places of the values, since the others
 * may hold anything. Constant time. */
#include "decode_reals.h"
#include "../base/workspace.h"
#include "../base/fixed64.h"
#include "../base/parameters.h"
#include "../encode/decode/slot_value.h"
#include "../ring/power.h"
#include "isopod/rounded.h"

/* Two primes, or one and the number 1, whose digit is 0. */
typedef struct {
    const isopod_prime *primes;
    uint32_t n, count;
    int32_t inverse; /* of the first prime modulo the second, in Montgomery form */
    int64_t modulus;
} remainders;

static remainders remainders_of(const isopod_decrypt *context) {
    const isopod_params *params = context->config->params;
    remainders of = {params->primes, 1u << params->log2_ring_degree, context->claim.primes, 0,
                     params->primes[0].modulus};
    if (of.count > 1) {
        const isopod_prime *second = &of.primes[1];
        of.inverse = isopod_montgomery_power(isopod_to_montgomery(of.primes[0].modulus, second),
                                             second->modulus - 2u, second);
        of.modulus *= second->modulus;
    }
    return of;
}

/* The integer in (-Q/2, Q/2] of a coefficient, from residues |x| < q; Q < 2^60. */
static inline int64_t coefficient(const int32_t *x, const remainders *of) {
    int32_t first = (int32_t)isopod_canonical(x[0], &of->primes[0]);
    int64_t value = first;
    if (of->count > 1) {
        const isopod_prime *second = &of->primes[1];
        int32_t digit = isopod_montgomery(x[of->n] - first, of->inverse, second);
        value += (int64_t)of->primes[0].modulus * isopod_canonical(digit, second);
    }
    int64_t beyond = (of->modulus >> 1) - value;
    return value -
           (of->modulus & (int64_t)isopod_ct_mask64(isopod_ct_negative((int32_t)(beyond >> 32))));
}

static isopod_status check(const isopod_decrypt_config *config, const isopod_claim *claim) {
    if (config->params->plain != NULL || config->layout != ISOPOD_COEFFICIENTS_ROUNDED) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (claim->primes > ISOPOD_ROUNDED_PRIMES) {
        return ISOPOD_ERROR_LEVEL;
    }
    isopod_status status =
        isopod_claim_check_within(config->params, claim, 1u << config->params->log2_ring_degree);
    int32_t magnitude = isopod_log2_scale(claim->scale) + config->log2_bound;
    if (status != ISOPOD_OK) {
        return status;
    }
    int32_t most = (int32_t)isopod_parameters_product_bits(config->params, claim->primes) - 2;
    return config->log2_bound < -60 || config->log2_bound > 57 || magnitude < 0 || magnitude > most
               ? ISOPOD_ERROR_BOUND
               : ISOPOD_OK;
}

/* Writes the value of a word, |word| < 2^60; rho < 2^63. */
static void store(void *out, uint32_t index, int64_t word, const isopod_slots *slots) {
    uint32_t negative;
    uint64_t magnitude = isopod_slot_magnitude(word, &negative);
    isopod_product64 product = isopod_multiply64((int64_t)magnitude, (int64_t)slots->reciprocal);
    magnitude = (uint64_t)product.high << 4 | product.low >> 60;
    isopod_slot_store(out, index, magnitude, negative, slots);
}

/* Not zero if |value| is beyond 2^(magnitude + 1). Shifts are public, but a 32-bit machine would
 * branch on them. */
static inline uint32_t beyond(int64_t value, uint32_t magnitude) {
    uint64_t limit = isopod_ct_shift_left(1, magnitude + 1u);
    uint64_t above = isopod_ct_shift_right((uint64_t)value + limit, magnitude + 2u);
    return (uint32_t)(above >> 32) | (uint32_t)above;
}

static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_claim *claim = &context->claim;
    const remainders of = remainders_of(context);
    const isopod_decoding decoding = isopod_reals_decoding(context);
    isopod_slots slots = isopod_reals_slots(context, out->type);
    slots.exponent = context->config->log2_bound - ISOPOD_DECODE64_BITS - 2;
    const int32_t *x = isopod_workspace_room(context->workspace);
    uint32_t magnitude = (uint32_t)decoding.magnitude, refused = 0, index = 0;
    for (uint32_t row = 0; row < claim->rows; row++) {
        const int32_t *from = x + claim->first + (size_t)row * claim->stride;
        for (uint32_t column = 0; column < claim->columns; column++) {
            int64_t value = coefficient(from + column, &of);
            refused |= beyond(value, magnitude);
            value =
                (int64_t)isopod_ct_shift_left((uint64_t)value, ISOPOD_DECODE64_BITS - magnitude);
            store(out->data, index++, value, &slots);
        }
    }
    ISOPOD_DECLASSIFY(refused);
    return refused;
}

const isopod_decoder isopod_ckks_decode_coefficients = {.word_bytes = 4,
                                                        .check = check,
                                                        .check_type = isopod_reals_check_type,
                                                        .take = isopod_decrypt_take,
                                                        .take_rounded = isopod_decrypt_take_rounded,
                                                        .decode = decode};
