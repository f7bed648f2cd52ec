#include "isopod/tables.h"

#include "bit_reverse.h"
#include "cosine_roots.h"
#include "fixed64.h"
#include "parameters.h"
#include "twiddles.h"

/* spec/ckks.md, section 4: cos(pi*j/16384) * 2^62. */
static int64_t cosine(uint32_t j) {
    const int64_t *coarse = isopod_cosine_coarse[j / 128];
    const int64_t *fine = isopod_cosine_fine[j % 128];
    return isopod_fraction64(isopod_dot64(coarse[0], fine[0], -coarse[1], fine[1]));
}

static void build_cosines(int32_t *narrow, int64_t *wide, uint32_t log2_degree) {
    for (uint32_t i = 0; i <= 1u << (log2_degree - 1u); i++) {
        wide[i] = cosine(i << (14u - log2_degree));
        narrow[i] = (int32_t)((wide[i] + 0x80000000) >> 32);
    }
}

isopod_status isopod_ckks_tables_build(isopod_ckks_tables *tables, const isopod_ckks_params *params,
                                       void *memory, size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t n = 1u << params->log2_ring_degree;
    if (memory == NULL || ((uintptr_t)memory & 7u) != 0 ||
        bytes < ISOPOD_CKKS_TABLES_BYTES(n, params->prime_count)) {
        return ISOPOD_ERROR_WORKSPACE;
    }
    int64_t *wide = memory;
    const int32_t **pointers = (const int32_t **)(void *)(wide + n / 2 + 2);
    int32_t *narrow = (int32_t *)(void *)(pointers + params->prime_count);
    int32_t *twiddles = narrow + n / 2 + 2;
    build_cosines(narrow, wide, params->log2_ring_degree);
    for (uint32_t j = 0; j < params->prime_count; j++, twiddles += n) {
        isopod_build_twiddles(twiddles, &params->primes[j], params->log2_ring_degree);
        pointers[j] = twiddles;
    }
    tables->twiddles = pointers;
    tables->cosine32 = narrow;
    tables->cosine64 = wide;
    tables->backend = NULL;
    tables->coarse = NULL;
    tables->plain = NULL;
    return ISOPOD_OK;
}
