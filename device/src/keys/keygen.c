/* Secret keys, errors of public keys and masks from their seeds (spec/ckks.md, sections 3, 6 and
 * 7). */
#include "isopod/keygen.h"

#include "key_pair.h"
#include "../base/memory.h"
#include "../random/noise.h"

/*@ requires \valid_read(params) && params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures \result == (1 << params->log2_ring_degree); */
static uint32_t params_degree(const isopod_params *params) {
    return UINT32_C(1) << params->log2_ring_degree;
}

#if ISOPOD_WORD_BITS == 32
ISOPOD_FRAME_APART void isopod_keygen_ternary(uint32_t *ternary, const isopod_params *params,
                                              const uint8_t seed[32]) {
    isopod_noise_source source = {&isopod_suite_chacha20, seed, ISOPOD_DOMAIN_SECRET_KEY};
    isopod_noise_ternary(ternary, params_degree(params), &source);
}

void isopod_keygen_secret(uint32_t *ternary, const isopod_params *params, const uint8_t seed[32]) {
    isopod_keygen_ternary(ternary, params, seed);
    isopod_wipe_stack();
}

void isopod_keygen_noise(int8_t *error, const isopod_params *params, const isopod_noise_key *key) {
    isopod_noise_source source = {&isopod_suite_chacha20, key->bytes, ISOPOD_DOMAIN_ERROR0};
    isopod_noise_error(error, params_degree(params), &source);
}
#endif

static isopod_mask_position mask_position(const isopod_params *params, uint8_t prime,
                                          uint32_t refill) {
    isopod_mask_position at = {isopod_word_prime_of(params, prime),
                               prime,
                               params->prime_count,
                               params->log2_ring_degree,
                               0,
                               refill};
    return at;
}

void isopod_mask_expand(isopod_residue *residues, const isopod_suite *suite, const uint8_t *seed,
                        const isopod_params *params, uint8_t prime, uint32_t *refill) {
    isopod_mask_position at = mask_position(params, prime, *refill);
    isopod_mask mask;
    isopod_mask_start(&mask, suite, seed, &at);
    for (uint32_t i = 0; i < params_degree(params); i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(&mask, residues + i);
    }
    *refill = mask.at.refill;
}
