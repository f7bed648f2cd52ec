#define ISOPOD_LIMB_BITS 64
#include "fixture_wide.h"

#include "../src/memory.h"
#include "../src/montgomery.h"
#include "../src/packing.h"
#include "check.h"

void fixture_wide_tables(fixture *fixture) {
    uint32_t primes = fixture->params->prime_count;
    size_t bytes = ISOPOD_WIDE_TABLES_BYTES(fixture->n, primes) +
                   ISOPOD_WIDE_QUOTIENT_BYTES(fixture->n, primes);
    CHECK(isopod_wide_tables_build(&fixture->tables, fixture->params, check_memory(bytes), bytes) ==
          ISOPOD_OK);
}

/* Montgomery form of residues, at most 4 bytes aligned; returns the place behind them. */
static uint32_t *put_montgomery(uint32_t *at, const uint64_t *residues, uint32_t n,
                                const isopod_wide_prime *prime) {
    for (uint32_t i = 0; i < n; i++, at += 2) {
        int64_t value =
            isopod_montgomery((int64_t)residues[i], (int64_t)prime->montgomery_square, prime);
        isopod_store64((uint8_t *)at, isopod_canonical(value, prime));
    }
    return at;
}

uint32_t *fixture_wide_public(fixture *fixture, const isopod_keygen *keygen, uint32_t *at,
                              isopod_key_kind kind) {
    uint32_t n = fixture->n;
    uint64_t *scratch = check_memory((size_t)9 * n), *row = check_memory((size_t)8 * n);
    isopod_keccak sponge;
    fixture_start_key_id(&sponge, keygen);
    if (kind == ISOPOD_KEY_PUBLIC_SEEDED) {
        isopod_copy((uint8_t *)at, keygen->mask_seed, 32);
        at += 8;
    }
    for (uint8_t j = 0; j < fixture->params->prime_count; j++) {
        const isopod_wide_prime *prime = &fixture->params->wide_primes[j];
        uint32_t refill = 0;
        isopod_keygen_public(row, keygen, j, scratch);
        if (kind <= ISOPOD_KEY_PUBLIC_SEEDED) {
            at = put_montgomery(at, row, n, prime);
        }
        isopod_keccak_absorb(&sponge, (uint8_t *)row, isopod_pack_in_place(row, n, prime->bits));
        if (kind == ISOPOD_KEY_PUBLIC) {
            isopod_mask_expand(row, &isopod_suite_chacha20, keygen->mask_seed, fixture->params, j,
                               &refill);
            at = put_montgomery(at, row, n, prime);
        }
    }
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, (uint8_t *)(fixture->blob + 6), ISOPOD_KEY_ID_BYTES);
    return at;
}

uint32_t *fixture_wide_secret(const isopod_keygen *keygen, uint32_t *at, uint32_t n, int ternary) {
    if (ternary) {
        isopod_copy((uint8_t *)at, (const uint8_t *)keygen->ternary, n / 4);
        return at + n / 16;
    }
    for (uint8_t j = 0; j < keygen->params->prime_count; j++, at += 2 * (size_t)n) {
        isopod_keygen_secret_ntt((uint64_t *)(void *)at, keygen, j);
    }
    return at;
}
