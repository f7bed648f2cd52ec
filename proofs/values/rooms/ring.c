/* The room ring at n = 1024: arbitrary coefficients, keys, masks and twiddles within the bounds of
 * the headers, and packed bytes of any contents; 1, 2, 4 and 8 chunks, full and lean tables. */
// rooms: ring random/mask.c random/mask_streams.c random/stream.c random/suite_chacha20.c
// rooms: random/suite_shake256.c random/suite_seal_shake256.c base/parameter_sets.c
// stubs: primitives.c
// options: -eva-slevel 8 -eva-auto-loop-unroll 33 -eva-slevel-function layer_pair:3000
// options: -eva-slevel-function last_pair:3000 -eva-slevel-function inverse_pair:3000
// options: -eva-slevel-function isopod_fold_weights:40 -eva-slevel-function fold_block:40
// options: -eva-slevel-function isopod_pack_in_place:1100 -eva-slevel-function isopod_unpack:1100
// options: -eva-slevel-function isopod_unpack_multiply:1100
// options: -eva-slevel-function isopod_ntt_layers:30 -eva-slevel-function isopod_inverse_ntt:30
// options: -eva-use-spec isopod_reduce
#include "arbitrary.h"
#include "ring/inverse_ntt.h"
#include "ring/packing.h"
#include "ring/plain_twiddles.h"
#include "ring/pointwise.h"
#include "ring/polynomial.h"
#include "ring/power.h"
#include "ring/product.h"
#include "ring/twiddles.h"
#include "ring/unpack.h"

#define N 1024u
#define PRIME (&isopod_ckks_1024x1_sum.primes[0])
#define Q 67104769

static int32_t twiddles[N], lean[ISOPOD_LEAN_TWIDDLES], coarse[N / ISOPOD_LEAN_TWIDDLES], x[N],
    factors[N], built[N];
static uint32_t key[N], symbols[N / 16u];
static int8_t error[N];
static uint8_t packed[N * 4u], seed[64];

static void words(int32_t *out, uint32_t count, int32_t bound) {
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = SIGNED(-bound, bound);
    }
}

static void residues(uint32_t *out, uint32_t count) {
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = BETWEEN(0, Q - 1);
    }
}

static isopod_ntt transform(uint32_t chunks, int is_lean) {
    isopod_ntt ntt = {.prime = PRIME,
                      .twiddles = is_lean ? lean : twiddles,
                      .length = N / chunks,
                      .chunks = (uint8_t)chunks,
                      .chunk = (uint8_t)BETWEEN(0, chunks - 1),
                      .coarse = is_lean ? coarse : NULL};
    return ntt;
}

static void forward(uint32_t chunks, int is_lean) {
    isopod_ntt ntt = transform(chunks, is_lean);
    const isopod_polynomial small = {isopod_load_error, NULL, error, PRIME, N, 0};
    const isopod_polynomial ternary = {isopod_load_ternary,    symbols, NULL, PRIME, N,
                                       SIGNED(-(Q / 2), Q / 2)};
    const isopod_product product = {&small, &ntt, key};
    isopod_polynomial_ntt(x, &ternary, &ntt);
    isopod_polynomial_ntt(x, &small, &ntt);
    isopod_reduce_all(x, ntt.length, PRIME);
    isopod_to_montgomery_all(x, ntt.length, PRIME);
    words(factors, N, Q - 1);
    (void)isopod_product_with(x, &product, factors);
    isopod_mask_position at = {PRIME, 0, 1, 10, 0, 0};
    isopod_mask mask;
    isopod_mask_start(&mask, &isopod_suite_chacha20, seed, &at);
    (void)isopod_product_with_mask(x, &product, &mask);
}

static void backward(int is_lean) {
    isopod_ntt ntt = transform(1, is_lean);
    words(x, N, Q);
    isopod_inverse_ntt(x, &ntt, MAYBE ? isopod_inverse_ntt_factor(&ntt) : SIGNED(-(Q / 2), Q / 2));
}

static void packing(void) {
    (void)isopod_unpack(x, packed, N, PRIME);
    words(x, N, Q);
    residues(key, N);
    (void)isopod_unpack_multiply(x, packed, key, N, PRIME);
    words(x, N, Q * 2);
    isopod_canonical_all(x, N, PRIME);
    residues((uint32_t *)x, N);
    (void)isopod_pack_in_place((uint32_t *)x, N, PRIME->bits);
}

int main(void) {
    ARBITRARY(symbols);
    ARBITRARY(packed);
    ARBITRARY(seed);
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        error[i] = (int8_t)SIGNED(-21, 21);
    }
    words(twiddles, N, Q / 2);
    words(lean, ISOPOD_LEAN_TWIDDLES, Q / 2);
    words(coarse, N / ISOPOD_LEAN_TWIDDLES, Q / 2);
    residues(key, N);
    forward(1, 0);
    forward(2, 1);
    forward(4, 0);
    forward(8, 1);
    backward(0);
    backward(1);
    packing();
    (void)isopod_montgomery_power(SIGNED(1 - Q, Q - 1), ANY32, PRIME);
    (void)isopod_to_montgomery(BETWEEN(0, 0x3fffffff), PRIME);
    isopod_build_twiddles(built, PRIME, 10);
    isopod_build_plain_twiddles(built, &isopod_bfv_1024x1_count);
    isopod_tables tables = {.twiddles = NULL,
                            .coarse = MAYBE ? (const int32_t *const *)built : NULL};
    ARBITRARY(tables.set_id);
    (void)isopod_tables_fit(MAYBE ? &tables : NULL, &isopod_ckks_1024x1_sum);
    return 0;
}
