/* Tables of a CKKS set of 32-bit primes, built in memory, equal to the generated ones
 * (spec/ckks.md, sections 4 and 5). Public. */
#include "isopod/tables.h"

#include <stddef.h>

#include "../encode/cosines.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../ring/twiddles.h"

isopod_status isopod_ckks_tables_build(isopod_ckks_tables *tables, const isopod_ckks_params *params,
                                       void *memory, size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (status == ISOPOD_OK && params->primes == NULL) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t n = UINT32_C(1) << params->log2_ring_degree;
    if (memory == NULL || ((uintptr_t)memory & 7u) != 0 ||
        bytes < ISOPOD_CKKS_TABLES_BYTES(n, params->prime_count)) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    int64_t *cosine64 = memory;
    const int32_t **pointers = (const int32_t **)(void *)(cosine64 + n / 2 + 2);
    int32_t *cosine32 = (int32_t *)(void *)(pointers + params->prime_count);
    int32_t *twiddles = cosine32 + n / 2 + 2;
    isopod_build_cosines(cosine32, cosine64, params->log2_ring_degree);
    for (uint32_t j = 0; j < params->prime_count; j++, twiddles += n) {
        isopod_build_twiddles(twiddles, &params->primes[j], params->log2_ring_degree);
        pointers[j] = twiddles;
    }
    isopod_ckks_tables built = {.twiddles = pointers, .cosine32 = cosine32, .cosine64 = cosine64};
    isopod_copy(built.set_id, params->set_id, sizeof built.set_id);
    *tables = built;
    return ISOPOD_OK;
}
