/* The decoder of results of primes of 40 to 60 bits at n = 1024: one to three primes, residues of
 * any contents, a claim of fixed scale and shape; bounds are fixed where the shift depends on them.
 */
// words: 64
// sources: schemes/decode_mixed64.c schemes/decode_reals.c schemes/claim.c
// sources: encode/decode base/parameters.c base/parameter_sets.c
// stubs: primitives.c decode_stub.c
// mains: small wide
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 64
// options: -eva-slevel-function isopod64_fold:20000 -eva-split-return full
#include "claims.h"

/* The take of decoders is not called here. */
void isopod64_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {}

static isopod_params any_set(void) {
    isopod_params params = isopod_ckks_8192x3w_multiply;
    params.log2_ring_degree = 10;
    return params;
}

/* Words of 32 bits, then of 64, shifted to the left. */
void small(void) {
    const isopod_params params = any_set();
    asked of = {&isopod64_ckks_decode, &params, ISOPOD_SLOTS, 1, 20, -20, 8};
    of.type = ISOPOD_VALUES_FLOAT32;
    decode(&of, 0, 0);
    of.primes = 2;
    of.least = 10;
    of.most = 38;
    of.type = ISOPOD_VALUES_INT64;
    decode(&of, 1, 0);
}

/* Shifts to the right, within a word and by more. */
void wide(void) {
    const isopod_params params = any_set();
    asked of = {&isopod64_ckks_decode, &params, ISOPOD_SLOTS, 3, 100, 38, 38};
    of.type = ISOPOD_VALUES_FLOAT64;
    decode(&of, 2, 0);
    of.exponent = 81;
    decode(&of, 2, 0);
}
