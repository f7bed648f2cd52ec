/* Tables of a set of 64-bit primes of either scheme, built in memory, equal to the generated ones,
 * with quotients ([SHOUP01]) where there is room. Public. */
#define ISOPOD_WORD_BITS 64
#include "isopod/tables.h"
#include <stddef.h>

#include "../encode/cosines.h"
#include "../ring/montgomery.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../ring/plain_twiddles.h"
#include "../ring/twiddles.h"

/* Computes from W = w * 2^64 mod q the twiddle w and its quotient (w * 2^64 - W) / q, an exact
 * division. */
static void build_quotients(int64_t *out, const int64_t *twiddles, const isopod_prime64 *prime,
                            uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        isopod_word_product shifted = {0, isopod_canonical(twiddles[i], prime)};
        out[i] = (int64_t)isopod_canonical(isopod_redc(shifted, prime), prime);
        out[n + i] = (int64_t)(0u - shifted.low * prime->inverse);
    }
}

static size_t bytes_of(const isopod_params *params) {
    return ISOPOD64_TABLES_BYTES(UINT32_C(1) << params->log2_ring_degree, params->prime_count);
}

static isopod_status check(const isopod_params *params, const void *memory, size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (status == ISOPOD_OK && params->primes64 == NULL) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status == ISOPOD_OK &&
        (memory == NULL || ((uintptr_t)memory & 7u) != 0 || bytes < bytes_of(params))) {
        status = ISOPOD_ERROR_WORKSPACE;
    }
    return status;
}

/* Builds the twiddles of every prime at `words`; returns the place behind them. */
static int64_t *build_primes(const int64_t **pointers, int64_t *words,
                             const isopod_params *params) {
    for (uint32_t j = 0; j < params->prime_count; j++) {
        isopod_build_twiddles(words, &params->primes64[j], params->log2_ring_degree);
        pointers[j] = words;
        words += (size_t)1 << params->log2_ring_degree;
    }
    return words;
}

static void build_backend(const int64_t **pointers, int64_t *words, const isopod_params *params,
                          const int64_t *const *twiddles) {
    uint32_t n = UINT32_C(1) << params->log2_ring_degree;
    for (uint32_t j = 0; j < params->prime_count; j++, words += 2 * (size_t)n) {
        build_quotients(words, twiddles[j], &params->primes64[j], n);
        pointers[j] = words;
    }
}

/* All sizes are multiples of eight bytes. */
isopod_status isopod64_tables_build(isopod_tables *tables, const isopod_params *params,
                                    void *memory, size_t bytes) {
    isopod_status status = check(params, memory, bytes);
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t n = UINT32_C(1) << params->log2_ring_degree, k = params->prime_count;
    isopod_tables built = {.twiddles64 = NULL};
    int64_t *words = memory, *cosine64 = words + (size_t)k * n;
    const int64_t **pointers = (const int64_t **)(void *)(cosine64 + n / 2 + 2);
    int32_t *cosine32 = (int32_t *)(void *)(pointers + 2 * (size_t)k);
    isopod_copy(built.set_id, params->set_id, sizeof built.set_id);
    (void)build_primes(pointers, words, params);
    built.twiddles64 = pointers;
    if (bytes >= bytes_of(params) + ISOPOD64_QUOTIENT_BYTES(n, k)) {
        int64_t *behind = words + bytes_of(params) / 8u;
        build_backend(pointers + k, behind, params, pointers);
        built.backend64 = pointers + k;
    }
    if (params->plain != NULL) {
        int32_t *plain = (int32_t *)(void *)cosine64;
        isopod_build_plain_twiddles(plain, params);
        built.plain = plain;
    } else {
        isopod_build_cosines(cosine32, cosine64, params->log2_ring_degree);
        built.cosine32 = cosine32;
        built.cosine64 = cosine64;
    }
    *tables = built;
    return ISOPOD_OK;
}
