#define ISOPOD_LIMB_BITS 64
#include <stddef.h>

#include "../encode/cosines.h"
#include "../ring/montgomery.h"
#include "../base/parameters.h"
#include "../ring/plain_twiddles.h"
#include "../ring/twiddles.h"

/* From W = w * 2^64 mod q: w, and (w * 2^64 - W) / q, an exact division. */
static void build_quotients(int64_t *out, const int64_t *twiddles, const isopod_wide_prime *prime,
                            uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        isopod_limb_product shifted = {0, isopod_canonical(twiddles[i], prime)};
        out[i] = (int64_t)isopod_canonical(isopod_redc(shifted, prime), prime);
        out[n + i] = (int64_t)(0u - shifted.low * prime->inverse);
    }
}

static size_t bytes_of(const isopod_params *params) {
    return ISOPOD_WIDE_TABLES_BYTES(1u << params->log2_ring_degree, params->prime_count);
}

static isopod_status check(const isopod_params *params, const void *memory, size_t bytes) {
    isopod_status status = isopod_parameters_check(params);
    if (status == ISOPOD_OK && params->wide_primes == NULL) {
        status = ISOPOD_ERROR_PARAMETERS;
    }
    if (status == ISOPOD_OK &&
        (memory == NULL || ((uintptr_t)memory & 7u) != 0 || bytes < bytes_of(params))) {
        status = ISOPOD_ERROR_WORKSPACE;
    }
    return status;
}

/* The twiddles of every prime at `words`; returns the place behind them. */
static int64_t *build_primes(const int64_t **pointers, int64_t *words,
                             const isopod_params *params) {
    for (uint32_t j = 0; j < params->prime_count; j++) {
        isopod_build_twiddles(words, &params->wide_primes[j], params->log2_ring_degree);
        pointers[j] = words;
        words += (size_t)1 << params->log2_ring_degree;
    }
    return words;
}

static void build_backend(const int64_t **pointers, int64_t *words, const isopod_params *params,
                          const int64_t *const *twiddles) {
    uint32_t n = 1u << params->log2_ring_degree;
    for (uint32_t j = 0; j < params->prime_count; j++, words += 2 * (size_t)n) {
        build_quotients(words, twiddles[j], &params->wide_primes[j], n);
        pointers[j] = words;
    }
}

/* All sizes are multiples of eight bytes. */
isopod_status isopod_wide_tables_build(isopod_tables *tables, const isopod_params *params,
                                       void *memory, size_t bytes) {
    isopod_status status = check(params, memory, bytes);
    if (status != ISOPOD_OK) {
        return status;
    }
    uint32_t n = 1u << params->log2_ring_degree, k = params->prime_count;
    isopod_tables built = {.wide_twiddles = NULL};
    int64_t *words = memory, *cosine64 = words + (size_t)k * n;
    const int64_t **pointers = (const int64_t **)(void *)(cosine64 + n / 2 + 2);
    int32_t *narrow = (int32_t *)(void *)(pointers + 2 * (size_t)k);
    (void)build_primes(pointers, words, params);
    built.wide_twiddles = pointers;
    if (bytes >= bytes_of(params) + ISOPOD_WIDE_QUOTIENT_BYTES(n, k)) {
        int64_t *behind = words + bytes_of(params) / 8u;
        build_backend(pointers + k, behind, params, pointers);
        built.wide_backend = pointers + k;
    }
    if (params->plain != NULL) {
        int32_t *plain = (int32_t *)(void *)cosine64;
        isopod_build_plain_twiddles(plain, params);
        built.plain = plain;
    } else {
        isopod_build_cosines(narrow, cosine64, params->log2_ring_degree);
        built.cosine32 = narrow;
        built.cosine64 = cosine64;
    }
    *tables = built;
    return ISOPOD_OK;
}
