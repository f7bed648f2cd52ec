/* Encryptions by SEAL-Embedded's own software, compiled with its sources by recompute.py. As in its
 * benchmark, an encryption is the encoding, the error, and each prime in turn (region 0); start-up
 * and the sampling of a secret key are outside. Prints a digest of all ciphertexts.
 *
 * -DPUBLIC_KEY   by public key, whose polynomials come from files */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counter/markers.h"
#ifdef PUBLIC_KEY
#include "ckks_asym.h"
#else
#include "ckks_sym.h"
#endif

enum { FIRST_INPUT = 12345 };

static ZZ pool[MEMPOOL_SIZE];
static flpt input[SE_DEGREE_N / 2];
static uint64_t digest = 0xcbf29ce484222325;

static void fill_input(void) {
    uint32_t z = FIRST_INPUT;
    for (size_t i = 0; i < SE_DEGREE_N / 2; i++) {
        z = 1664525u * z + 1013904223u;
        input[i] = (flpt)(int32_t)z * (flpt)0x1p-31;
    }
}

static void fill_seed(uint8_t *seed, uint8_t first) {
    for (size_t i = 0; i < SE_PRNG_SEED_BYTE_COUNT; i++) {
        seed[i] = (uint8_t)(first + i);
    }
}

static void mix(const ZZ *words) {
    for (size_t i = 0; i < SE_DEGREE_N; i++) {
        digest = (digest ^ words[i]) * 0x100000001b3;
    }
}

#ifdef PUBLIC_KEY
#define set_pointers ckks_set_ptrs_asym
#define next_prime ckks_next_prime_asym

static void begin(Parms *parameters, const SE_PTRS *at) {
    static SE_PRNG generator;
    static uint8_t seed[SE_PRNG_SEED_BYTE_COUNT];
    fill_seed(seed, 100);
    ckks_asym_init(parameters, seed, &generator, at->conj_vals_int_ptr, at->ternary, at->e1_ptr);
}

static void encrypt(Parms *parameters, const SE_PTRS *at) {
    ckks_encode_encrypt_asym(parameters, at->conj_vals_int_ptr, at->ternary, at->e1_ptr,
                             at->ntt_roots_ptr, at->ntt_pte_ptr, 0, 0, at->c0_ptr, at->c1_ptr);
}
#else
#define set_pointers ckks_set_ptrs_sym
#define next_prime ckks_next_prime_sym

static SE_PRNG shareable, generator;

static void begin(Parms *parameters, const SE_PTRS *at) {
    static uint8_t mask[SE_PRNG_SEED_BYTE_COUNT], noise[SE_PRNG_SEED_BYTE_COUNT];
    fill_seed(mask, 1);
    fill_seed(noise, 100);
    ckks_sym_init(parameters, mask, noise, &shareable, &generator, at->conj_vals_int_ptr);
}

static void encrypt(Parms *parameters, const SE_PTRS *at) {
    ckks_encode_encrypt_sym(parameters, at->conj_vals_int_ptr, 0, &shareable, at->ternary,
                            at->ntt_pte_ptr, at->ntt_roots_ptr, at->c0_ptr, at->c1_ptr, 0, 0);
}
#endif

static Parms parameters = {
#ifdef PUBLIC_KEY
    .is_asymmetric = true,
    .pk_from_file = true,
    .small_u = true,
#else
    .small_s = true,
    .sample_s = true,
#endif
};

int main(void) {
    SE_PTRS at;
    fill_input();
    set_pointers(SE_DEGREE_N, pool, &at);
    ckks_setup(SE_DEGREE_N, SE_NPRIMES, at.index_map_ptr, &parameters);
#ifndef PUBLIC_KEY
    static uint8_t seed[SE_PRNG_SEED_BYTE_COUNT];
    fill_seed(seed, 200);
    ckks_setup_s(&parameters, seed, &generator, at.ternary);
#endif
    isopod_region_begin();
    if (!ckks_encode_base(&parameters, input, SE_DEGREE_N / 2, at.index_map_ptr, at.ifft_roots,
                          at.conj_vals)) {
        return 1;
    }
    begin(&parameters, &at);
    for (size_t prime = 0; prime < SE_NPRIMES; prime++) {
        encrypt(&parameters, &at);
        if (prime + 1 < SE_NPRIMES) {
            (void)next_prime(&parameters, at.ternary);
        }
    }
    isopod_region_end();
    mix(at.c0_ptr);
    /* c1 shares its memory with the message in the smallest configuration */
    fprintf(stderr, "digest %llu\n", (unsigned long long)digest);
    return 0;
}
