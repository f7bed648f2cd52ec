/* Structural checks of a parameter set, which refuse damaged or invalid tables before they are
 * used. */
#ifndef ISOPOD_PARAMETERS_H
#define ISOPOD_PARAMETERS_H

#include <stddef.h>

#include "isopod/params.h"
#include "isopod/status.h"

/* ISOPOD_OK or ISOPOD_ERROR_PARAMETERS: degree, primes (range, congruence, constants), label
 * against log2 QP. */
isopod_status isopod_parameters_check(const isopod_params *params);

/* Sum of the bit lengths of the first `level` data primes. log2 of their product lies between this
 * sum minus the number of primes and this sum. */
uint32_t isopod_parameters_data_bits(const isopod_params *params, uint32_t level);

/* The product of the first `level` data primes, one or two of 32 bits, and its bit length. */
uint64_t isopod_parameters_product(const isopod_params *params, uint32_t level);
uint32_t isopod_parameters_product_bits(const isopod_params *params, uint32_t level);

/* Checks the plaintext modulus of a set that is otherwise valid: ISOPOD_OK, or
 * ISOPOD_ERROR_PLAIN_CONGRUENCE, _PLAIN_PRIME, _PARAMETERS. */
isopod_status isopod_parameters_check_plain(const isopod_bfv_params *params);

/* Whether the set has 64-bit primes. */
/*@ requires \valid_read(params);
    assigns \nothing;
    ensures \result == (params->primes64 != \null ? 1 : 0); */
static inline uint32_t isopod_parameters_has_primes64(const isopod_params *params) {
    return params->primes64 != NULL;
}

/* Data prime number `index` of a set of either kind, and its bit length. */
/*@ requires \valid_read(params) && (params->primes64 != \null ==>
            \valid_read(params->primes64 + index));
    requires params->primes64 == \null ==> \valid_read(params->primes + index);
    assigns \nothing;
    ensures params->primes64 != \null ==> \result == params->primes64[index].modulus;
    ensures params->primes64 == \null ==> \result == params->primes[index].modulus; */
static inline uint64_t isopod_parameters_modulus(const isopod_params *params, uint32_t index) {
    return isopod_parameters_has_primes64(params) ? params->primes64[index].modulus
                                                  : params->primes[index].modulus;
}

/*@ requires \valid_read(params) && (params->primes64 != \null ==>
            \valid_read(params->primes64 + index));
    requires params->primes64 == \null ==> \valid_read(params->primes + index);
    assigns \nothing;
    ensures params->primes64 != \null ==> \result == params->primes64[index].bits;
    ensures params->primes64 == \null ==> \result == params->primes[index].bits; */
static inline uint32_t isopod_parameters_bits(const isopod_params *params, uint32_t index) {
    return isopod_parameters_has_primes64(params) ? params->primes64[index].bits
                                                  : params->primes[index].bits;
}

/* Whether the modulus is above `least`, below 2^30 and 1 modulo 2n, and its constants are right;
 * primality is not tested. */
uint32_t isopod_is_valid_prime(const isopod_prime *prime, uint32_t log2_ring_degree,
                               uint32_t least);

#endif
