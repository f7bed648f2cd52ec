/* The modules of an encryption with the first prime of a set, each in a region of its own, in the
 * order of modules.py. Definitions and random input are those of app.c. */
#include <stddef.h>
#include <stdint.h>

#include "counter/markers.h"
#include "isopod/ckks.h"
#include "../../device/src/encode/encode.h"
#include "../../device/src/random/keccak.h"
#include "../../device/src/random/sample.h"
#include "../../device/src/ring/packing.h"
#include "../../device/src/ring/pointwise.h"
#include "../../device/src/ring/product.h"
#include "semihosting/semihosting.h"
#include "stack/stack.h"

enum { FIRST_INPUT = 12345, FIRST_KEY = 1 };

extern const isopod_ckks_params BENCH_PARAMS;
extern const isopod_ckks_tables BENCH_TABLES;

static float input[BENCH_N / 2];
static int32_t message[BENCH_N / 2];
static int32_t x[BENCH_N];
static uint32_t mask_values[BENCH_N];
static uint32_t key[BENCH_N];
static uint32_t ternary[BENCH_N / 16];
static _Alignas(4) int8_t error[BENCH_N];
static const uint8_t seed[ISOPOD_MASK_SEED_MAXIMUM] = {1, 2, 3};

static uint32_t generate(uint32_t *z) {
    *z = *z * 1664525U + 1013904223U;
    return *z;
}

static void fill(void) {
    uint32_t z = FIRST_INPUT;
    for (size_t i = 0; i < BENCH_N / 2; i++) {
        input[i] = (float)(int32_t)generate(&z) * 0x1p-31F;
    }
    z = FIRST_KEY;
    for (size_t i = 0; i < BENCH_N; i++) {
        key[i] = generate(&z) % BENCH_PARAMS.primes[0].modulus;
    }
}

static void encode(void) {
    const isopod_values values = {input, BENCH_N / 2, ISOPOD_VALUES_FLOAT32};
    const isopod_encoding encoding = {
        BENCH_PARAMS.log2_ring_degree, BENCH_LOG2_SCALE, 0, BENCH_N / 2, UINT32_MAX, NULL};
    isopod_region_begin();
    isopod_encode32(message, BENCH_TABLES.cosine32, &values, &encoding);
    isopod_region_end();
}

static void sample(void) {
    isopod_stream stream;
    isopod_region_begin();
    isopod_stream_start(&stream, &BENCH_SUITE, seed, (isopod_stream_name){ISOPOD_DOMAIN_ERROR0, 0});
    isopod_sample_error(error, BENCH_N, &stream);
    isopod_region_end();
    isopod_region_begin();
    isopod_stream_start(&stream, &BENCH_SUITE, seed,
                        (isopod_stream_name){ISOPOD_DOMAIN_TERNARY, 0});
    isopod_sample_ternary(ternary, BENCH_N, &stream);
    isopod_region_end();
}

static isopod_mask_position beginning(void) {
    return (isopod_mask_position){.prime = &BENCH_PARAMS.primes[0],
                                  .primes = BENCH_PARAMS.prime_count,
                                  .log2_ring_degree = BENCH_PARAMS.log2_ring_degree};
}

static void uniform(void) {
    const isopod_mask_position at = beginning();
    isopod_mask mask;
    isopod_region_begin();
    isopod_mask_start(&mask, &BENCH_SUITE, seed, &at);
    for (size_t i = 0; i < BENCH_N; i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(&mask, mask_values + i);
    }
    isopod_region_end();
}

/* Separate steps of one polynomial, as in SEAL-Embedded [SEALEMB21]. Returns the packed bytes. */
static uint32_t steps(const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    isopod_region_begin();
    isopod_polynomial_ntt(x, polynomial, ntt);
    isopod_region_end();
    isopod_region_begin();
    isopod_multiply_add(x, (const int32_t *)mask_values, key, BENCH_N, ntt->prime);
    isopod_region_end();
    isopod_region_begin();
    const uint32_t bytes = isopod_pack_in_place((uint32_t *)x, BENCH_N, ntt->prime->bits);
    isopod_region_end();
    return bytes;
}

/* One call for all steps with the mask computed on the way, as in the library. */
static uint32_t fused(const isopod_polynomial *polynomial, const isopod_ntt *ntt) {
    const isopod_mask_position at = beginning();
    const isopod_product product = {polynomial, ntt, key};
    isopod_mask mask;
    isopod_region_begin();
    isopod_mask_start(&mask, &BENCH_SUITE, seed, &at);
    const uint32_t bytes = isopod_product_with_mask(x, &product, &mask);
    isopod_region_end();
    return bytes;
}

/* A permutation: the last byte of a block. */
static void keccak(isopod_keccak *sponge) {
    static const uint8_t block[ISOPOD_KECCAK_RATE];
    isopod_keccak_start(sponge);
    isopod_keccak_absorb(sponge, block, sizeof block - 1U);
    isopod_region_begin();
    isopod_keccak_absorb(sponge, block, 1);
    isopod_region_end();
}

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const void *data, size_t length) {
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001B3U;
    }
    return hash;
}

static void print(const char *name, uint64_t value) {
    semihosting_print(name);
    semihosting_print(" ");
    semihosting_print_decimal(value);
    semihosting_print("\n");
}

static uint64_t measure(void) {
    encode();
    sample();
    uniform();
    const isopod_ntt ntt = isopod_ntt_of(&BENCH_PARAMS, &BENCH_TABLES, 0);
    const isopod_polynomial polynomial = {
        isopod_load_message32, message, error, ntt.prime, BENCH_N, 0};
    uint64_t hash = digest(0xCBF29CE484222325U, x, steps(&polynomial, &ntt));
    hash = digest(hash, ternary, sizeof ternary);
    const uint32_t bytes = fused(&polynomial, &ntt);
    hash = digest(hash, x, bytes);
    static isopod_keccak sponge;
    uint8_t squeezed[32];
    keccak(&sponge);
    isopod_keccak_squeeze(&sponge, squeezed, sizeof squeezed);
    return digest(hash, squeezed, sizeof squeezed);
}

int main(void) {
    fill();
    isopod_stack_paint();
    const uint64_t hash = measure();
    print("stack_bytes", isopod_stack_used());
    print("digest", hash);
#ifdef ISOPOD_BOARD_CYCLES
    for (uint32_t i = 0; i < board_regions.count; i++) {
        print("cycles", board_regions.cycles[i]);
    }
#endif
    return 0;
}
