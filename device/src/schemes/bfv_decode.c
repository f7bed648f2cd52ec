/* Decoding of BFV results of either word size (spec/decryption.md, section 3): checks, fractions of
 * the primes, and values from the plaintext polynomial. Constant time with respect to the
 * values. */
#include "bfv_decode.h"

#include "../base/workspace.h"
#include "../base/bit_reverse.h"
#include "../base/memory.h"
#include "../ring/ntt.h"
#include "../base/parameters.h"
#include "../ring/power.h"
#include "../encode/decode/slot_value.h"

#define LOW_BITS 30u
#define LOW (((uint64_t)1 << LOW_BITS) - 1u)

/* 2^(w+30) / q, by long division; q > 2^(w-1). */
static uint32_t reciprocal(uint64_t modulus, uint32_t bits) {
    uint64_t rest = (uint64_t)1 << (bits - 1u);
    uint32_t quotient = 0;
    for (uint32_t i = 0; i <= ISOPOD_FRACTION_BITS; i++) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= modulus) {
            rest -= modulus;
            quotient |= 1u;
        }
    }
    return quotient;
}

static isopod_bfv_term term_of(const isopod_params *params, uint32_t index) {
    const isopod_prime *plain = params->plain;
    uint64_t modulus = isopod_parameters_modulus(params, index);
    uint32_t bits = isopod_parameters_bits(params, index);
    int32_t unit = isopod_to_montgomery(UINT32_C(1) << (LOW_BITS - 1u), plain) * 2;
    int32_t upper = isopod_to_montgomery((uint32_t)(modulus >> LOW_BITS), plain);
    int32_t residue = isopod_montgomery(upper, isopod_reduce(unit, plain), plain) +
                      isopod_to_montgomery((uint32_t)(modulus & LOW), plain);
    int32_t inverse =
        isopod_montgomery_power(isopod_reduce(residue, plain), plain->modulus - 2u, plain);
    int32_t shifted = isopod_montgomery(inverse, isopod_reduce(unit, plain), plain);
    isopod_bfv_term term = {modulus, bits, reciprocal(modulus, bits),
                            isopod_centred(-inverse, plain), isopod_centred(-shifted, plain)};
    return term;
}

isopod_bfv_rounding isopod_bfv_rounding_of(const isopod_decrypt *context) {
    const isopod_params *params = context->config->params;
    isopod_bfv_rounding of = {.count = context->claim.primes,
                              .one = isopod_montgomery_one(params->plain),
                              .plain = params->plain};
    for (uint32_t j = 0; j < of.count; j++) {
        of.terms[j] = term_of(params, j);
    }
    return of;
}

/*@ requires \valid_read(params) && \valid_read(params->plain);
    assigns \nothing;
    ensures \result == params->plain->modulus; */
uint32_t isopod_bfv_multiplier(const isopod_params *params) {
    return params->plain->modulus;
}

static isopod_status check_layout(const isopod_decrypt_config *config) {
    uint32_t has_slots = config->layout == ISOPOD_SLOTS || config->layout == ISOPOD_SLOTS_REPEATED;
    if (!has_slots && config->layout != ISOPOD_COEFFICIENTS &&
        config->layout != ISOPOD_COEFFICIENTS_ROUNDED) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (config->log2_bound != 0) {
        return ISOPOD_ERROR_BOUND;
    }
    if (has_slots && config->tables->plain == NULL) {
        return ISOPOD_ERROR_TABLES;
    }
    return isopod_parameters_check_plain(config->params);
}

isopod_status isopod_bfv_check_decoding(const isopod_decrypt_config *config,
                                        const isopod_claim *claim) {
    if (config->params->plain == NULL) {
        return ISOPOD_ERROR_LAYOUT;
    }
    isopod_status status = isopod_claim_check(config->params, claim);
    return status == ISOPOD_OK ? check_layout(config) : status;
}

/*@ assigns \nothing;
    ensures \result == ISOPOD_OK || \result == ISOPOD_ERROR_VALUE_TYPE;
    ensures \result == ISOPOD_OK <==> type == ISOPOD_VALUES_INT32 || type ==
            ISOPOD_VALUES_UINT32; */
isopod_status isopod_bfv_check_type(const isopod_decrypt_config *config, isopod_value_type type) {
    (void)config;
    return type == ISOPOD_VALUES_INT32 || type == ISOPOD_VALUES_UINT32 ? ISOPOD_OK
                                                                       : ISOPOD_ERROR_VALUE_TYPE;
}

/* The destination of integers, and the number that is taken from residues above half the modulus: t
 * for signed values, 0 for unsigned ones. */
typedef struct {
    uint32_t *data;
    const isopod_prime *plain;
    uint32_t excess;
} destination;

static destination destination_of(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_prime *plain = context->config->params->plain;
    destination to = {out->data, plain, out->type == ISOPOD_VALUES_INT32 ? plain->modulus : 0};
    return to;
}

/* Stores the residue of |value| < 2t. */
static inline void store(const destination *to, uint32_t index, int32_t value) {
    uint32_t word = isopod_canonical(isopod_reduce(value, to->plain), to->plain);
    uint32_t upper = isopod_ct_negative((int32_t)(((to->plain->modulus - 1u) >> 1) - word));
    to->data[index] = word - (to->excess & upper);
}

/* Writes slots: slot j of the first row is at brv((3^j - 1)/2), that of the second row at the
 * complement; powers of 3 repeat after a row. */
static void write_slots(const isopod_decrypt *context, const destination *to, int32_t *x) {
    const isopod_params *params = context->config->params;
    const isopod_claim *claim = &context->claim;
    uint32_t n = UINT32_C(1) << params->log2_ring_degree, index = 0;
    isopod_ntt ntt = {.prime = params->plain,
                      .twiddles = context->config->tables->plain,
                      .length = n,
                      .chunks = 1};
    isopod_ntt_layers(x, &ntt);
    for (uint32_t row = 0; row < claim->rows; row++) {
        uint32_t slot = claim->first + row * claim->stride, end = slot + claim->columns;
        uint32_t power = isopod_slot_order(slot, n);
        for (; slot < end; slot++, power = 3 * power & (2 * n - 1)) {
            uint32_t at = isopod_bit_reverse(power >> 1, params->log2_ring_degree);
            store(to, index++, x[slot < n / 2 ? at : n - 1 - at]);
        }
    }
}

uint32_t isopod_bfv_write(const isopod_decrypt *context, const isopod_decoded *out,
                          uint32_t refused) {
    const isopod_claim *claim = &context->claim;
    const destination to = destination_of(context, out);
    int32_t *x = isopod_workspace_room(context->workspace);
    refused >>= 31;
    ISOPOD_DECLASSIFY(refused);
    if (refused != 0) {
        return 1;
    }
    if (context->config->layout < ISOPOD_COEFFICIENTS) {
        write_slots(context, &to, x);
        return 0;
    }
    for (uint32_t row = 0; row < claim->rows; row++) {
        const int32_t *from = x + claim->first + (size_t)row * claim->stride;
        for (uint32_t column = 0; column < claim->columns; column++) {
            store(&to, row * claim->columns + column, from[column]);
        }
    }
    return 0;
}
