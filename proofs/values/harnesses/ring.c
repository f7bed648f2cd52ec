/* The folder ring at n = 1024: arbitrary coefficients, keys, masks and twiddles within the bounds
 * of the headers, and packed bytes of any contents; 1, 2, 4 and 8 chunks, full and lean tables. */
// sources: ring random/mask.c random/mask_streams.c random/stream.c random/suite_chacha20.c
// sources: random/suite_shake256.c random/suite_seal_shake256.c base/parameter_sets.c
// sources: keys/key_products.c
// stubs: primitives.c
// options: -eva-slevel 8 -eva-auto-loop-unroll 33 -eva-slevel-function layer_pair:3000
// options: -eva-slevel-function last_pair:3000 -eva-slevel-function inverse_pair:3000
// options: -eva-slevel-function isopod_fold_weights:40 -eva-slevel-function fold_block:40
// options: -eva-slevel-function isopod_pack_in_place:1100 -eva-slevel-function isopod_unpack:1100
// options: -eva-slevel-function isopod_unpack_multiply:1100 -eva-slevel-function last_layer:3000
// options: -eva-slevel-function isopod_ntt_layers:30 -eva-slevel-function isopod_inverse_ntt:30
// options: -eva-slevel-function isopod_key_sums:1100 -eva-slevel-function isopod_key_products:1100
// options: -eva-use-spec isopod_reduce
#include "ring/plain_twiddles.h"
#include "ring_calls.h"

int main(void) {
    any_ring();
    forward(1, 0);
    forward(2, 1);
    forward(4, 0);
    forward(8, 1);
    backward(N, 0);
    backward(N / 2u, 0);
    backward(N, 1);
    packing();
    keys();
    single_words();
    isopod_build_plain_twiddles(built, &isopod_bfv_1024x1_count);
    isopod_tables tables = {.twiddles = NULL,
                            .coarse = MAYBE ? (const int32_t *const *)built : NULL};
    ARBITRARY(tables.set_id);
    (void)isopod_tables_fit(MAYBE ? &tables : NULL, &isopod_ckks_1024x1_sum);
    return 0;
}
