/* Structural checks of a parameter set, so that a damaged or home-made table is refused before it
 * is used. */
#ifndef ISOPOD_PARAMETERS_H
#define ISOPOD_PARAMETERS_H

#include "isopod/params.h"
#include "isopod/status.h"

/* ISOPOD_OK or ISOPOD_ERROR_PARAMETERS: degree, primes (range, congruence, constants), label
 * against log2 QP. */
isopod_status isopod_parameters_check(const isopod_ckks_params *params);

/* Sum of the bit lengths of the data primes; log2 Q is between this minus the number of primes and
 * this. */
uint32_t isopod_parameters_data_bits(const isopod_ckks_params *params);

#endif
