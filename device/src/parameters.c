#include "parameters.h"

/* Largest log2 QP for ternary secrets at n = 2^10 .. 2^14: ePrint 2024/463, and the 2018 HE
 * standard. */
static const uint16_t limit_128[5] = {26, 53, 106, 214, 430};
static const uint16_t limit_2018[5] = {27, 54, 109, 218, 438};

static uint32_t bit_length(uint64_t value) {
    uint32_t high = (uint32_t)(value >> 32);
    uint32_t word = high != 0 ? high : (uint32_t)value;
    uint32_t bits = high != 0 ? 32 : 0;
    for (uint32_t step = 16; step != 0; step >>= 1) {
        uint32_t shifted = word >> step;
        word = shifted != 0 ? shifted : word;
        bits += shifted != 0 ? step : 0;
    }
    return bits + word;
}

uint32_t isopod_parameters_data_bits(const isopod_params *params, uint32_t level) {
    uint32_t bits = 0;
    for (uint32_t j = 0; j < level; j++) {
        bits += isopod_parameters_bits(params, j);
    }
    return bits;
}

uint32_t isopod_is_prime_entry_sound(const isopod_prime *prime, uint32_t log2_ring_degree,
                                     uint32_t least) {
    uint32_t q = prime->modulus;
    return q < 1u << 30 && q > least && (q - 1u) % (2u << log2_ring_degree) == 0 &&
           prime->negative_inverse * q + 1u == 0 && prime->bits == bit_length(q) &&
           (uint64_t)prime->barrett * q + q / 2 - ((uint64_t)1 << 32) < q; /* round(2^32 / q) */
}

static uint32_t is_wide_entry_sound(const isopod_wide_prime *prime, uint32_t log2_ring_degree) {
    uint64_t q = prime->modulus;
    return q < (uint64_t)1 << 60 && q > 1u << 20 && (q & ((2u << log2_ring_degree) - 1u)) == 1 &&
           prime->inverse * q == 1 && prime->bits == bit_length(q) &&
           prime->barrett >> (65u - prime->bits) == 0 &&
           prime->barrett * q + q / 2 < q; /* round(2^64 / q) */
}

static uint32_t is_prime_sound(const isopod_params *params, uint32_t index) {
    uint32_t degree = params->log2_ring_degree;
    return isopod_parameters_is_wide(params)
               ? is_wide_entry_sound(&params->wide_primes[index], degree)
               : isopod_is_prime_entry_sound(&params->primes[index], degree, 1u << 20);
}

isopod_status isopod_parameters_check(const isopod_params *params) {
    uint32_t degree = params->log2_ring_degree;
    if (degree < 10 || degree > 14 || params->prime_count == 0 || params->prime_count > 15 ||
        (params->primes == NULL) == (params->wide_primes == NULL) ||
        (params->label != ISOPOD_LABEL_128 && params->label != ISOPOD_LABEL_COMPAT_2018)) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    for (uint32_t j = 0; j < params->prime_count; j++) {
        if (!is_prime_sound(params, j)) {
            return ISOPOD_ERROR_PARAMETERS;
        }
    }
    const uint16_t *limits = params->label == ISOPOD_LABEL_128 ? limit_128 : limit_2018;
    uint32_t bits = isopod_parameters_data_bits(params, params->prime_count) +
                    bit_length(params->special_prime);
    return bits <= limits[degree - 10] ? ISOPOD_OK : ISOPOD_ERROR_PARAMETERS;
}
