/* Decoders of results at n = 1024: residues of any contents within their primes, claims of fixed
 * scales and shapes, and any bound that the checks let pass with them. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "arbitrary.h"
#include "decrypt/decrypt.h"

#define N 1024u
#define COUNT 24u

/* The owner's name, three polynomials of 64-bit words, and room behind them. */
static uint64_t memory[2u + 3u * N];
static int64_t cosine64[N / 2u + 1u];
static int32_t cosine32[N / 2u + 1u], plain[N];
static uint64_t values[COUNT];
static isopod_tables tables = {.cosine32 = cosine32, .cosine64 = cosine64, .plain = plain};

static const uint32_t shapes[4][2] = {{1, 1}, {1, COUNT}, {COUNT, 1}, {4, 6}};

/* A decoder with its layout, primes, exponent of the scale, least and largest bound, and type. */
typedef struct {
    const isopod_decoder *decoder;
    const isopod_params *params;
    uint8_t layout, primes;
    int32_t exponent, least, most;
    isopod_value_type type;
} asked;

static void any_residues(const asked *of) {
    int32_t *words = (void *)(memory + 2);
    int64_t *longs = (void *)(memory + 2);
    //@ loop unroll 3;
    for (uint32_t j = 0; j < of->primes; j++) {
        //@ loop unroll 1024;
        for (uint32_t i = 0; i < N; i++) {
            if (of->params->primes64 == NULL) {
                int32_t q = (int32_t)of->params->primes[j].modulus;
                words[N * j + i] = SIGNED(1 - q, q - 1);
            } else {
                int64_t q = (int64_t)of->params->primes64[j].modulus;
                longs[N * j + i] = LONG(1 - q, q - 1);
            }
        }
    }
}

static void decode(const asked *of, uint32_t shape, uint64_t mantissa) {
    const isopod_workspace workspace = {memory, sizeof memory};
    const isopod_decrypt_config config = {
        of->params, &tables, NULL, of->decoder, (int8_t)SIGNED(of->least, of->most),
        of->layout, NULL};
    isopod_decrypt context = {.config = &config, .workspace = &workspace};
    const isopod_decoded out = {values, COUNT, of->type};
    context.claim.scale = (uint64_t)(1023 + of->exponent) << 52 | mantissa;
    context.claim.first = 5;
    context.claim.rows = shapes[shape][0];
    context.claim.columns = shapes[shape][1];
    context.claim.stride = shapes[shape][1] + 3u;
    context.claim.primes = of->primes;
    any_residues(of);
    if (of->decoder->check(&config, &context.claim) == ISOPOD_OK &&
        of->decoder->check_type(&config, of->type) == ISOPOD_OK) {
        (void)of->decoder->decode(&context, &out);
    }
}

#endif
