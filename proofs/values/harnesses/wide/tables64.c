/* Tables of sets of 64-bit primes of both schemes, in memory of any length, with and without
 * quotients. */
// words: 64
// sources: schemes/tables64.c ring/twiddles.c base/parameters.c base/parameter_sets.c
// stubs: primitives.c
// mains: reals integers
// options: -eva-slevel 8 -eva-auto-loop-unroll 65 -eva-split-return full
#include "arbitrary.h"
#include "encode/cosines.h"
#include "isopod/tables.h"

#define MOST (ISOPOD64_TABLES_BYTES(8192u, 3u) + ISOPOD64_QUOTIENT_BYTES(8192u, 3u))

static uint64_t memory[MOST / 8u];

/*@ requires 10 <= log2_degree <= 15 && \valid(cosine32 + (0 .. (1 << log2_degree) / 2)) &&
        \valid(cosine64 + (0 .. (1 << log2_degree) / 2)); */
void isopod_build_cosines(int32_t *cosine32, int64_t *cosine64, uint32_t log2_degree) {
    arbitrary(cosine32, 4u * ((1u << log2_degree) / 2u + 1u));
    arbitrary(cosine64, 8u * ((1u << log2_degree) / 2u + 1u));
}

/*@ requires \valid(twiddles + (0 .. (1 << params->log2_ring_degree) - 1)); */
void isopod_build_plain_twiddles(int32_t *twiddles, const isopod_bfv_params *params) {
    arbitrary(twiddles, (size_t)4 << params->log2_ring_degree);
}

static void build(const isopod_params *params) {
    isopod_tables tables;
    ARBITRARY(memory);
    (void)isopod64_tables_build(&tables, params, MAYBE ? memory : NULL, SIZE_TO(sizeof memory));
}

void reals(void) {
    build(&isopod_ckks_8192x3w_sum);
    build(&isopod_ckks_1024x1_sum);
}

void integers(void) {
    build(&isopod_bfv_4096x2w_seal_default);
}
