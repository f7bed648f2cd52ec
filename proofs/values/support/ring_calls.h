/* The calls of the folder ring, for words of either size: arbitrary coefficients, keys, masks and
 * twiddles within the bounds of the headers. */
#ifndef RING_CALLS_H
#define RING_CALLS_H

#include "arbitrary.h"
#include "keys/key_products.h"
#include "ring/inverse_ntt.h"
#include "ring/packing.h"
#include "ring/pointwise.h"
#include "ring/polynomial.h"
#include "ring/power.h"
#include "ring/product.h"
#include "ring/twiddles.h"
#include "ring/unpack.h"

#define N 1024u

#if ISOPOD_WORD_BITS == 64
#define PRIME (&isopod_ckks_8192x3w_multiply.primes64[0])
#define Q INT64_C(1152921504606748673)
#define WORD(least, most) LONG(least, most)
#define RESIDUE(most) Frama_C_unsigned_long_long_interval(0, most)
#else
#define PRIME (&isopod_ckks_1024x1_sum.primes[0])
#define Q 67104769
#define WORD(least, most) SIGNED(least, most)
#define RESIDUE(most) BETWEEN(0, most)
#endif

static isopod_word twiddles[N], lean[ISOPOD_LEAN_TWIDDLES], coarse[N / ISOPOD_LEAN_TWIDDLES], x[N],
    factors[N], built[N];
static isopod_residue key[N];
static uint32_t symbols[N / 16u];
static int8_t error[N];
static uint8_t packed[N * sizeof(isopod_word)], seed[64];

static void words(isopod_word *out, uint32_t count, isopod_word bound) {
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = WORD(-bound, bound);
    }
}

static void residues(isopod_residue *out, uint32_t count) {
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = RESIDUE(Q - 1);
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
    const isopod_polynomial ternary = {isopod_load_ternary,  symbols, NULL, PRIME, N,
                                       WORD(-(Q / 2), Q / 2)};
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

static void backward(uint32_t length, int is_lean) {
    isopod_ntt ntt = transform(1, is_lean);
    ntt.length = length;
    words(x, N, Q);
    isopod_inverse_ntt(x, &ntt, MAYBE ? isopod_inverse_ntt_factor(&ntt) : WORD(-(Q / 2), Q / 2));
}

static void packing(void) {
    (void)isopod_unpack(x, packed, N, PRIME);
    words(x, N, Q);
    residues(key, N);
    (void)isopod_unpack_multiply(x, packed, key, N, PRIME);
    words(x, N, Q * 2);
    isopod_canonical_all(x, N, PRIME);
    residues((isopod_residue *)x, N);
    (void)isopod_pack_in_place((isopod_residue *)x, N, PRIME->bits);
}

static void keys(void) {
    residues((isopod_residue *)x, N);
    words(factors, N, 2 * Q - 1);
    isopod_key_products(x, factors, N, PRIME);
    words(x, N, 2 * Q - 1);
    words(factors, N, Q);
    isopod_key_sums(x, factors, N, PRIME);
}

static void any_ring(void) {
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
}

static void single_words(void) {
    (void)isopod_montgomery_power(WORD(1 - Q, Q - 1), RESIDUE(PRIME->modulus), PRIME);
    (void)isopod_to_montgomery(RESIDUE(((isopod_residue)1 << (ISOPOD_WORD_BITS - 2)) - 1u), PRIME);
    isopod_build_twiddles(built, PRIME, 10);
}

#endif
