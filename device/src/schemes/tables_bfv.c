/* Tables of a BFV set of 32-bit primes, built in memory, equal to the generated ones (spec/ckks.md,
 * section 5; spec/bfv.md, section 3). Public. */
#include <stddef.h>

#include "isopod/tables.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../ring/plain_twiddles.h"
#include "../ring/twiddles.h"

isopod_status isopod_bfv_tables_build(isopod_bfv_tables *tables, const isopod_bfv_params *params,
                                      void *memory, size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (status == ISOPOD_OK && (params->plain == NULL || params->primes == NULL)) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t n = UINT32_C(1) << params->log2_ring_degree, k = params->prime_count;
    if (memory == NULL || ((uintptr_t)memory & 7u) != 0 || bytes < ISOPOD_BFV_TABLES_BYTES(n, k)) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    const int32_t **pointers = memory;
    int32_t *twiddles = (int32_t *)(void *)(pointers + k);
    for (uint32_t j = 0; j < k; j++, twiddles += n) {
        isopod_build_twiddles(twiddles, &params->primes[j], params->log2_ring_degree);
        pointers[j] = twiddles;
    }
    isopod_build_plain_twiddles(twiddles, params);
    isopod_bfv_tables built = {.twiddles = pointers, .plain = twiddles};
    isopod_copy(built.set_id, params->set_id, sizeof built.set_id);
    *tables = built;
    return ISOPOD_OK;
}
