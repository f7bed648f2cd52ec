/* The decoder of integers from primes of 60 bits, which computes modulo t in words of 32 bits, at n
 * = 1024: residues of any contents, claims of fixed shapes. */
// sources: schemes/bfv_decode.c schemes/bfv_decode64.c schemes/claim.c schemes/plain_modulus.c
// sources: encode/decode base/parameters.c base/parameter_sets.c
// stubs: primitives.c ring_stub.c decode_stub.c
// options: -eva-slevel 60 -eva-slevel-merge-after-loop @all -eva-auto-loop-unroll 64
// options: -eva-slevel-function decode:2000
// options: -eva-slevel-function isopod_bfv_write:200 -eva-split-return full
// options: -eva-use-spec isopod_reduce
#include "claims.h"

/* The take of decoders is not called here. */
void isopod64_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups) {}

int main(void) {
    isopod_params params = isopod_bfv_4096x2w_seal_default;
    params.log2_ring_degree = 10;
    asked of = {&isopod64_bfv_decode, &params, ISOPOD_SLOTS, 2, 0, 0, 0, ISOPOD_VALUES_INT32};
    decode(&of, 0, 0);
    of.type = ISOPOD_VALUES_UINT32;
    of.layout = ISOPOD_COEFFICIENTS;
    decode(&of, 1, 0);
    return 0;
}
