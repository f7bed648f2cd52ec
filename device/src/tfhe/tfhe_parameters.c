/* The check of TFHE sets (spec/tfhe.md, section 1): N = 2^10 modulo 2^32 or N = 2^11 modulo 2^64,
 * known noise, and the label that both allow. */
#include "tfhe_parameters.h"
#include "../base/memory.h"

/* The prime of spec/tfhe.md, section 5, for which the bounds of products are proven. */
#define PRIME 143142913u

/*@ requires \valid_read(params);
    assigns \nothing;
    ensures \result == 1 ==> params->log2_ring_degree == 10 || params->log2_ring_degree == 11;
    ensures \result == 1 ==> params->log2_modulus == 32 || params->log2_modulus == 64; */
static uint32_t is_ring_known(const isopod_tfhe_params *params) {
    return (params->log2_ring_degree == 10 && params->log2_modulus == 32) ||
           (params->log2_ring_degree == 11 && params->log2_modulus == 64);
}

/* Noise of at least the deviation that the labels were computed for: TUniform(8) or the Gaussian
 * modulo 2^32, TUniform(17) modulo 2^64. */
/*@ requires \valid_read(params);
    assigns \nothing;
    ensures \result == 1 ==> params->tuniform == 0 || params->tuniform == 8 ||
            params->tuniform == 17; */
static uint32_t is_noise_known(const isopod_tfhe_params *params) {
    return params->log2_modulus == 32 ? params->tuniform == 8 || params->tuniform == 0
                                      : params->tuniform == 17;
}

/*@ requires \valid_read(params);
    assigns \nothing;
    ensures \result == 1 && params->log2_modulus == 64 ==> params->label == ISOPOD_LABEL_128; */
static uint32_t is_valid_label(const isopod_tfhe_params *params) {
    uint32_t strongest = params->log2_modulus == 64                ? ISOPOD_LABEL_128
                         : params->secret == ISOPOD_SECRET_TERNARY ? ISOPOD_LABEL_COMPAT_TFHEPP
                                                                   : ISOPOD_LABEL_RESEARCH;
    return params->label == strongest;
}

ISOPOD_SMALL isopod_status isopod_tfhe_parameters_check(const isopod_tfhe_params *params) {
    uint32_t is_secret_known =
        params->secret == ISOPOD_SECRET_BINARY || params->secret == ISOPOD_SECRET_TERNARY;
    uint32_t is_valid_message = (params->message_bits == 1 || params->message_bits == 2) &&
                                params->message_bits + params->log2_delta < params->log2_modulus &&
                                params->centred <= 1;
    return is_ring_known(params) && is_secret_known && is_noise_known(params) && is_valid_message &&
                   is_valid_label(params) && params->prime->modulus == PRIME
               ? ISOPOD_OK
               : ISOPOD_ERROR_PARAMETERS;
}
