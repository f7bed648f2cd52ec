/* The tables of a TFHE set: twiddles modulo the prime of the products (spec/tfhe.md, section 5), by
 * repeated multiplication. Public. */
#include "../../base/bit_reverse.h"
#include "isopod/tfhe.h"
#include "../../base/memory.h"
#include "../../ring/montgomery.h"
#include "../tfhe_parameters.h"

static void build_twiddles(int32_t *twiddles, const isopod_tfhe_params *params) {
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
}

isopod_status isopod_tfhe_tables_build(isopod_tfhe_tables *tables, const isopod_tfhe_params *params,
                                       void *memory, size_t bytes) {
    isopod_status status = isopod_tfhe_parameters_check(params);
    if (status == ISOPOD_OK && (memory == NULL || ((uintptr_t)memory & 3u) != 0 ||
                                bytes < ISOPOD_TFHE_TABLES_BYTES(isopod_tfhe_degree(params)))) {
        status = ISOPOD_ERROR_WORKSPACE;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    build_twiddles(memory, params);
    isopod_copy(tables->set_id, params->set_id, sizeof tables->set_id);
    tables->twiddles = memory;
    return ISOPOD_OK;
}
