/* The smallest sets with tables of arbitrary numbers within their bounds, and keys of every kind of
 * any contents. */
#ifndef SET_H
#define SET_H

#include "device.h"
#include "isopod/encryption.h"

#define N 1024u
#define CKKS isopod_ckks_1024x1_sum
#define BFV isopod_bfv_1024x1_count

static int32_t twiddles_of[N], plain_twiddles[N], cosines[N / 2u + 1u];
static const int32_t *const twiddles[1] = {twiddles_of};
static isopod_tables tables;
static uint32_t plain_blob[(ISOPOD_KEY_HEADER_BYTES + 32u + 8u * N) / 4u],
    seeded_blob[(ISOPOD_KEY_HEADER_BYTES + 32u + 4u * N) / 4u];
static uint32_t ternary_blob[(ISOPOD_KEY_HEADER_BYTES + N / 4u) / 4u],
    ntt_blob[(ISOPOD_KEY_HEADER_BYTES + 4u * N) / 4u];
static isopod_key key;

static void any_tables(const isopod_params *params) {
    int32_t half = (int32_t)(params->primes[0].modulus / 2u);
    int32_t half_plain = params->plain != NULL ? (int32_t)(params->plain->modulus / 2u) : 1;
    //@ loop unroll 1024;
    for (uint32_t i = 0; i < N; i++) {
        twiddles_of[i] = SIGNED(-half, half);
        plain_twiddles[i] = SIGNED(-half_plain, half_plain);
    }
    //@ loop unroll 513;
    for (uint32_t i = 0; i <= N / 2u; i++) {
        cosines[i] = SIGNED(0, 1 << 30);
    }
    tables.twiddles = twiddles;
    tables.cosine32 = cosines;
    tables.plain = plain_twiddles;
    ARBITRARY(tables.set_id);
}

/* Contents whose field of primes names no part of a split key, or one; the first is refused unless
 * the kind has parts. */
static void any_blob(uint32_t *blob, size_t bytes, uint32_t kind, int names_part) {
    arbitrary(blob, bytes);
    blob[ISOPOD_KEY_WORD_KIND] = kind;
    blob[ISOPOD_KEY_WORD_PRIMES] = names_part ? BETWEEN(0x10000, 0xffffffffu) : BETWEEN(0, 0xffff);
}

#endif
