/* Twiddles modulo the prime of TFHE's products (spec/tfhe.md, section 5), by repeated
 * multiplication. Public. */
#include "../../base/bit_reverse.h"
#include "isopod/tfhe.h"
#include "../../ring/montgomery.h"
#include "../tfhe_parameters.h"

isopod_status isopod_tfhe_twiddles_build(int32_t *twiddles, const isopod_tfhe_params *params) {
    isopod_status status = isopod_tfhe_parameters_check(params);
    if (status != ISOPOD_OK) {
        return status;
    }
    const isopod_prime *prime = params->prime;
    const int32_t half = (int32_t)(prime->modulus / 2u);
    int32_t power = isopod_montgomery_one(prime);
    int32_t root =
        isopod_montgomery((int32_t)prime->root, (int32_t)prime->montgomery_square, prime);
    for (uint32_t i = 0; i < isopod_tfhe_degree(params); i++) {
        power = power > half ? power - (int32_t)prime->modulus : power;
        power = power < -half ? power + (int32_t)prime->modulus : power;
        twiddles[isopod_bit_reverse(i, params->log2_ring_degree)] = power;
        power = isopod_montgomery(power, root, prime);
    }
    return ISOPOD_OK;
}
