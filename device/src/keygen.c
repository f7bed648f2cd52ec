#include "isopod/keygen.h"

#include "memory.h"
#include "montgomery.h"
#include "pointwise.h"
#include "polynomial.h"
#include "sample.h"

static uint32_t ring_degree(const isopod_params *params) {
    return 1u << params->log2_ring_degree;
}

#if ISOPOD_LIMB_BITS == 32
void isopod_keygen_secret(uint32_t *ternary, const isopod_params *params, const uint8_t seed[32]) {
    isopod_stream stream;
    isopod_stream_name name = {ISOPOD_DOMAIN_SECRET_KEY, 0};
    isopod_stream_start(&stream, &isopod_suite_chacha20, seed, name);
    isopod_sample_ternary(ternary, ring_degree(params), &stream);
    isopod_wipe(&stream, sizeof stream);
}
#endif

void isopod_keygen_secret_ntt(isopod_residue *residues, const isopod_keygen *keygen,
                              uint8_t prime) {
    isopod_ntt ntt = isopod_ntt_of(keygen->params, keygen->tables, prime);
    isopod_polynomial secret = {
        isopod_load_ternary, keygen->ternary, NULL,
        ntt.prime,           ntt.length,      -isopod_montgomery_one(ntt.prime)};
    isopod_polynomial_ntt((isopod_limb *)residues, &secret, &ntt);
    isopod_canonical_all((isopod_limb *)residues, ntt.length, ntt.prime);
}

static void sample_error(int8_t *error, const isopod_keygen *keygen) {
    isopod_stream stream;
    isopod_stream_name name = {ISOPOD_DOMAIN_ERROR0, 0};
    isopod_stream_start(&stream, &isopod_suite_chacha20, keygen->noise_key, name);
    isopod_sample_error(error, ring_degree(keygen->params), &stream);
    isopod_wipe(&stream, sizeof stream);
}

static isopod_mask_position mask_position(const isopod_params *params, uint8_t prime,
                                          uint32_t refill) {
    isopod_mask_position at = {isopod_limb_prime_of(params, prime),
                               prime,
                               params->prime_count,
                               params->log2_ring_degree,
                               0,
                               refill};
    return at;
}

void isopod_keygen_public(isopod_residue *residues, const isopod_keygen *keygen, uint8_t prime,
                          isopod_residue *scratch) {
    isopod_ntt ntt = isopod_ntt_of(keygen->params, keygen->tables, prime);
    int8_t *error = (int8_t *)(scratch + ntt.length);
    isopod_polynomial noise = {isopod_load_error, NULL, error, ntt.prime, ntt.length, 0};
    isopod_mask_position at = mask_position(keygen->params, prime, 0);
    isopod_mask mask;
    sample_error(error, keygen);
    isopod_keygen_secret_ntt(scratch, keygen, prime);
    isopod_polynomial_ntt((isopod_limb *)residues, &noise, &ntt);
    isopod_mask_start(&mask, &isopod_suite_chacha20, keygen->mask_seed, &at);
    isopod_multiply_add_mask((isopod_limb *)residues, &mask, scratch, ntt.length);
    isopod_wipe(scratch, (sizeof *scratch + 1u) * ntt.length);
    (ISOPOD_LIMB_BITS == 64 ? isopod_wipe_deep_stack : isopod_wipe_stack)();
}

void isopod_mask_expand(isopod_residue *residues, const isopod_suite *suite, const uint8_t *seed,
                        const isopod_params *params, uint8_t prime, uint32_t *refill) {
    isopod_mask_position at = mask_position(params, prime, *refill);
    isopod_mask mask;
    isopod_mask_start(&mask, suite, seed, &at);
    for (uint32_t i = 0; i < ring_degree(params); i += ISOPOD_MASK_GROUP) {
        isopod_mask_group(&mask, residues + i);
    }
    *refill = mask.at.refill;
}
