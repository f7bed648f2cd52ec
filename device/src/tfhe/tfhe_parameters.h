/* The check of TFHE sets, and sizes that follow from a set. */
#ifndef ISOPOD_TFHE_PARAMETERS_H
#define ISOPOD_TFHE_PARAMETERS_H

#include "isopod/status.h"
#include "isopod/tfhe_params.h"

/* ISOPOD_OK or ISOPOD_ERROR_PARAMETERS. */
isopod_status isopod_tfhe_parameters_check(const isopod_tfhe_params *params);

/*@ requires \valid_read(params);
    requires params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures \result == (1 << params->log2_ring_degree); */
static inline uint32_t isopod_tfhe_degree(const isopod_tfhe_params *params) {
    return UINT32_C(1) << params->log2_ring_degree;
}

/* Bytes of a word of the modulus. */
/*@ requires \valid_read(params);
    assigns \nothing;
    ensures \result == params->log2_modulus / 8; */
static inline uint32_t isopod_tfhe_word_bytes(const isopod_tfhe_params *params) {
    return params->log2_modulus / 8u;
}

/* Bytes of a secret's symbols. */
static inline uint32_t isopod_tfhe_secret_bytes(const isopod_tfhe_params *params) {
    return isopod_tfhe_degree(params) / (params->secret == ISOPOD_SECRET_BINARY ? 8u : 4u);
}

#endif
