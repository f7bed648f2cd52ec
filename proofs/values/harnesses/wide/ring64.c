/* The folder ring in words of 64 bits at n = 1024, with a prime of 60 bits: arbitrary coefficients,
 * keys, masks and twiddles within the bounds of the headers, and packed bytes of any contents; 1,
 * 2, 4 and 8 chunks. */
// words: 64
// sources: ring random/mask64.c random/mask_streams.c random/stream.c random/suite_chacha20.c
// sources: random/suite_shake256.c random/suite_seal_shake256.c base/parameter_sets.c
// sources: keys/key_products.c
// stubs: primitives.c
// options: -eva-slevel 8 -eva-auto-loop-unroll 65 -eva-slevel-function layer_pair:3000
// options: -eva-slevel-function last_pair:3000 -eva-slevel-function inverse_pair:3000
// options: -eva-slevel-function isopod64_fold_weights:40 -eva-slevel-function fold_block:40
// options: -eva-slevel-function isopod64_pack_in_place:1100
// options: -eva-slevel-function isopod64_unpack:1100
// options: -eva-slevel-function isopod64_unpack_multiply:1100 -eva-slevel-function last_layer:3000
// options: -eva-slevel-function isopod64_ntt_layers:30 -eva-slevel-function isopod64_inverse_ntt:30
// options: -eva-slevel-function isopod64_key_sums:1100
// options: -eva-slevel-function isopod64_key_products:1100
// options: -eva-use-spec isopod_reduce
#include "ring_calls.h"

static void mask_of(const isopod_suite *suite) {
    static isopod_residue group[ISOPOD_MASK_GROUP];
    isopod_mask mask;
    isopod_mask_position at = {PRIME, 1, 2, 12, 0, BETWEEN(0, 1000)};
    //@ loop unroll 8;
    for (uint32_t i = 0; i < 8; i++) {
        at.first = 32 * i;
        isopod_mask_start(&mask, suite, seed, &at);
        isopod_mask_group(&mask, group);
        isopod_mask_group(&mask, group);
    }
}

int main(void) {
    any_ring();
    forward(1, 0);
    forward(2, 0);
    forward(4, 0);
    forward(8, 0);
    backward(N, 0);
    backward(N / 2u, 0);
    packing();
    keys();
    single_words();
    mask_of(&isopod_suite_chacha20);
    mask_of(&isopod_suite_shake256);
    mask_of(&isopod_suite_seal_shake256);
    return 0;
}
