/* Residues of results at n = 1024, of sets with and without a multiplier: packed bytes of any
 * contents in whole polynomials and in parts, under keys of both kinds; rounded answers of one and
 * two primes, of a fixed shape and dropped bits. */
// sources: decrypt/decrypt_residues.c ring/polynomial.c base/parameters.c base/parameter_sets.c
// stubs: primitives.c ring_stub.c
// mains: packed rounded
// options: -eva-slevel 60 -eva-auto-loop-unroll 64 -eva-split-return full
// options: -eva-use-spec isopod_reduce
// options: -eva-slevel-function multiply_rounded:1100 -eva-slevel-function add_rounded:60
#include "arbitrary.h"
#include "decrypt/decrypt.h"
#include "ring/polynomial.h"

#define N 1024u
#define GROUPS (N / 32u)

static uint64_t memory[2u + 2u * N];
static int32_t twiddles_of[2][N];
static const int32_t *const twiddles[2] = {twiddles_of[0], twiddles_of[1]};
static const isopod_tables tables = {.twiddles = twiddles};
static uint32_t blob[ISOPOD_KEY_HEADER_BYTES / 4u + 2u * N];
static uint8_t bytes[8u * N];

/* Not called. */
void isopod_message32_add(const int32_t *message, uint32_t n, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {}

static uint32_t multiplier_of(const isopod_params *params) {
    return 12289u;
}

static const isopod_decoder plain = {.word_bytes = 4},
                            multiplied = {.word_bytes = 4, .multiplier = multiplier_of};

static isopod_params any_set(uint8_t primes) {
    isopod_params params = isopod_ckks_4096x2_linear;
    params.log2_ring_degree = 10;
    params.prime_count = primes;
    return params;
}

static void any_key(isopod_key *key, isopod_key_kind kind) {
    ARBITRARY(blob);
    if (kind == ISOPOD_KEY_SECRET_NTT) {
        //@ loop unroll 2048;
        for (uint32_t i = 0; i < 2u * N; i++) {
            blob[ISOPOD_KEY_HEADER_BYTES / 4u + i] =
                BETWEEN(0, isopod_ckks_4096x2_linear.primes[i / N].modulus - 1u);
        }
    }
    key->blob = blob;
    key->kind = kind;
}

static void take(const isopod_decoder *decoder, isopod_key_kind kind, uint32_t part) {
    const isopod_params params = any_set(2);
    isopod_key key = {0};
    const isopod_workspace workspace = {memory, sizeof memory};
    const isopod_decrypt_config config = {&params, &tables, &key, decoder, 0, 0, NULL};
    isopod_decrypt context = {.config = &config, .workspace = &workspace};
    any_key(&key, kind);
    context.claim.primes = 2;
    context.over = ANY32;
    //@ loop unroll 2;
    for (context.prime = 0; context.prime < 2; context.prime++) {
        //@ loop unroll 2;
        for (context.component = 0; context.component < 2; context.component++) {
            context.position = 0;
            isopod_decrypt_take(&context, bytes, part);
            if (part < GROUPS) {
                isopod_decrypt_take(&context, bytes, GROUPS - part);
            }
        }
    }
}

void packed(void) {
    ARBITRARY(bytes);
    ARBITRARY(memory);
    take(&plain, ISOPOD_KEY_SECRET_NTT, GROUPS);
    take(&plain, ISOPOD_KEY_SECRET_TERNARY, 1);
    take(&multiplied, ISOPOD_KEY_SECRET_NTT, GROUPS - 1u);
    take(&multiplied, ISOPOD_KEY_SECRET_TERNARY, GROUPS);
}

static void answers(const isopod_decoder *decoder, isopod_key_kind kind, uint8_t primes) {
    const isopod_params params = any_set(primes);
    isopod_key key = {0};
    const isopod_workspace workspace = {memory, sizeof memory};
    const isopod_decrypt_config config = {&params, &tables, &key, decoder, 0, 0, NULL};
    isopod_decrypt context = {.config = &config, .workspace = &workspace};
    const isopod_rounded_answers some = {bytes, bytes, {10, 3}};
    any_key(&key, kind);
    context.claim.primes = primes;
    context.claim.first = 5;
    context.claim.rows = 3;
    context.claim.columns = 4;
    context.claim.stride = 9;
    isopod_decrypt_take_rounded(&context, &some);
}

void rounded(void) {
    ARBITRARY(bytes);
    ARBITRARY(memory);
    answers(&plain, ISOPOD_KEY_SECRET_TERNARY, 1);
    answers(&multiplied, ISOPOD_KEY_SECRET_NTT, 2);
}
