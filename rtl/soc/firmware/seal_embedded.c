/* One encryption by SEAL-Embedded's own software under a secret key, measured on the core; compiled
 * with its sources by rtl/soc/seal_embedded.py. As in its benchmark the encryption is the encoding,
 * the error, and each prime in turn; start-up and the sampling of the key are outside. Prints one
 * "name value" per line: cycles of the whole, of its parts, of the first prime, and a digest of c0
 * under all primes. */
#include "../../../bench/device/program.h"
#include "ckks_sym.h"
#include "cycles.h"
#include "fileops.h"
#ifdef SE_IFFT_LOAD_FULL
#include <string.h>

#include "ifft_roots.h"
#endif

enum { FIRST_INPUT = 12345 };

static ZZ pool[MEMPOOL_SIZE];
static flpt input[SE_DEGREE_N / 2];

/* Start-up messages are not shown; keys come from no file. */
int printf(const char *format, ...) {
    (void)format;
    return 0;
}

int puts(const char *text) {
    (void)text;
    return 0;
}

#undef putchar
int putchar(int byte) {
    return byte;
}

void load_sk(const Parms *parameters, ZZ *key) {
    (void)parameters;
    (void)key;
    fail("there are no files");
}

#ifdef SE_IFFT_LOAD_FULL
void load_ifft_roots(size_t n, double complex *roots) {
    memcpy(roots, ifft_roots, n * sizeof(double complex));
}
#endif

void exit(int status) {
    semihosting_exit(status);
}

static void fill_input(void) {
    uint32_t z = FIRST_INPUT;
    for (size_t i = 0; i < SE_DEGREE_N / 2; i++) {
        input[i] = (flpt)(int32_t)generate(&z) * (flpt)0x1p-31;
    }
}

static void fill_seed(uint8_t *seed, uint8_t first) {
    for (size_t i = 0; i < SE_PRNG_SEED_BYTE_COUNT; i++) {
        seed[i] = (uint8_t)(first + i);
    }
}

/* c1 leaves before c0 is ready, and its memory is used again. It enters c0. */
static uint64_t mixed(uint64_t digest, const SE_PTRS *at) {
    return digest * 3 ^ digest_of((const uint8_t *)at->c0_ptr, SE_DEGREE_N * sizeof(ZZ));
}

/* Sets *first to the cycles of the first prime and gives those of all. */
static uint32_t primes(Parms *parameters, const SE_PTRS *at, SE_PRNG *shareable, uint32_t *first) {
    uint64_t digest = 0;
    uint32_t sum = 0;
    for (size_t i = 0; i < parameters->nprimes; i++) {
        const uint32_t start = cycles_now();
        ckks_encode_encrypt_sym(parameters, at->conj_vals_int_ptr, 0, shareable, at->ternary,
                                at->ntt_pte_ptr, at->ntt_roots_ptr, at->c0_ptr, at->c1_ptr, 0, 0);
        if (i + 1 < parameters->nprimes) {
            (void)ckks_next_prime_sym(parameters, at->ternary);
        }
        sum += cycles_now() - start;
        *first = i == 0 ? sum : *first;
        digest = mixed(digest, at);
    }
    print("digest", digest);
    return sum;
}

static void encrypt(Parms *parameters, const SE_PTRS *at) {
    static uint8_t mask_seed[SE_PRNG_SEED_BYTE_COUNT], noise_seed[SE_PRNG_SEED_BYTE_COUNT];
    SE_PRNG shareable, secret;
    uint32_t first = 0;
    fill_seed(mask_seed, 1);
    fill_seed(noise_seed, 100);
    const uint32_t start = cycles_now();
    if (!ckks_encode_base(parameters, input, SE_DEGREE_N / 2, at->index_map_ptr, at->ifft_roots,
                          at->conj_vals)) {
        fail("it refuses the values");
    }
    const uint32_t encoded = cycles_now();
    ckks_sym_init(parameters, mask_seed, noise_seed, &shareable, &secret, at->conj_vals_int_ptr);
    const uint32_t sampled = cycles_now();
    const uint32_t all = primes(parameters, at, &shareable, &first);
    print("encode", encoded - start);
    print("sample", sampled - encoded);
    print("prime", first);
    print("whole", sampled - start + all);
}

int main(void) {
    static uint8_t key_seed[SE_PRNG_SEED_BYTE_COUNT];
    static Parms parameters = {.is_asymmetric = false, .small_s = true, .sample_s = true};
    SE_PTRS at;
    SE_PRNG generator;
    fill_input();
    fill_seed(key_seed, 200);
    ckks_set_ptrs_sym(SE_DEGREE_N, pool, &at);
    ckks_setup(SE_DEGREE_N, SE_NPRIMES, at.index_map_ptr, &parameters);
    ckks_setup_s(&parameters, key_seed, &generator, at.ternary);
    encrypt(&parameters, &at);
    return 0;
}
