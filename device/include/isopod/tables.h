/* Public tables of one parameter set. They lie in flash, written by the generator, or are built in
 * memory at start. Calls share nothing but their arguments. They only read what they open, so any
 * number of threads may use it. */
#ifndef ISOPOD_TABLES_H
#define ISOPOD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/params.h"
#include "isopod/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_LEAN_TWIDDLES 64u

typedef struct {
    /* twiddles[j][i], i < n: psi_j^brv(i) * 2^32 mod q_j as a signed number in (-q_j/2, q_j/2] */
    const int32_t *const *twiddles;
    /* The cosines may be NULL in BFV, and in CKKS where only coefficients are encoded. */
    const int32_t *cosine32; /* cos(pi*i/n) * 2^30, i = 0..n/2 */
    const int64_t *cosine64; /* cos(pi*i/n) * 2^62, i = 0..n/2; NULL where no scale needs it */
    /* backend[j]: the backend's own table of prime j, or NULL where it has none */
    const int32_t *const *backend;
    /* Lean tables (backends portable and armv7em), otherwise NULL. Their twiddles end at i =
     * ISOPOD_LEAN_TWIDDLES; coarse[j][h] is twiddle ISOPOD_LEAN_TWIDDLES * h, h < n /
     * ISOPOD_LEAN_TWIDDLES; the others are products. */
    const int32_t *const *coarse;
    /* Twiddles of sets of 64-bit primes, where `twiddles` may be NULL; NULL in sets of 32-bit
     * primes: psi_j^brv(i) * 2^64 mod q_j as a signed number in (-q_j/2, q_j/2]. */
    const int64_t *const *twiddles64;
    /* backend64[j]: for 64-bit prime j, w_i = psi_j^brv(i), i < n, and behind them the quotients
     * floor(w_i * 2^64 / q_j) as unsigned words; NULL where the backend does not read them */
    const int64_t *const *backend64;
    const int32_t *plain; /* BFV: twiddles modulo t; NULL in CKKS, or where no slots are encoded */
    uint8_t set_id[ISOPOD_SET_ID_BYTES]; /* the set's; calls refuse tables of another */
} isopod_tables;

typedef isopod_tables isopod_ckks_tables;
typedef isopod_tables isopod_bfv_tables;

/* Bytes that isopod_ckks_tables_build needs for ring degree n and k primes. */
#define ISOPOD_CKKS_TABLES_BYTES(n, k)                                                             \
    ((size_t)(k) * sizeof(int32_t *) + 8u + (size_t)(k) * (n)*4u + ((n) / 2u + 2u) * 12u)

/* Builds all tables in `memory` (8-byte aligned, at least ISOPOD_CKKS_TABLES_BYTES), for hosts and
 * boards with spare RAM. They are bit-identical to the generated flash tables. All data is public.
 * Errors: ISOPOD_ERROR_PARAMETERS, ISOPOD_ERROR_WORKSPACE. */
ISOPOD_MUST_CHECK isopod_status isopod_ckks_tables_build(isopod_ckks_tables *tables,
                                                         const isopod_ckks_params *params,
                                                         void *memory, size_t bytes);

/* isopod_ckks_tables_build for a set of BFV. */
#define ISOPOD_BFV_TABLES_BYTES(n, k)                                                              \
    ((size_t)(k) * sizeof(int32_t *) + ((size_t)(k) + 1u) * (n)*4u)
ISOPOD_MUST_CHECK isopod_status isopod_bfv_tables_build(isopod_bfv_tables *tables,
                                                        const isopod_bfv_params *params,
                                                        void *memory, size_t bytes);

/* Tables for a set of 64-bit primes of either scheme. Given ISOPOD64_QUOTIENT_BYTES more, it also
 * builds the quotients (backend64) that make the x86-64 kernels twice as fast. */
#define ISOPOD64_TABLES_BYTES(n, k)                                                                \
    (2u * (size_t)(k) * sizeof(int64_t *) + 8u + (size_t)(k) * (n)*8u + ((n) / 2u + 2u) * 12u)
#define ISOPOD64_QUOTIENT_BYTES(n, k) ((size_t)(k) * (n)*16u)
ISOPOD_MUST_CHECK isopod_status isopod64_tables_build(isopod_tables *tables,
                                                      const isopod_params *params, void *memory,
                                                      size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
