/* The check of the plaintext modulus t of BFV (spec/bfv.md, section 1), its primality included.
 * Everything is public. */
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../ring/power.h"

static uint32_t is_one(int32_t value, const isopod_prime *prime) {
    return isopod_canonical(value - isopod_montgomery_one(prime), prime) % prime->modulus == 0;
}

static uint32_t is_minus_one(int32_t value, const isopod_prime *prime) {
    return is_one(-value, prime);
}

/* The strong pseudoprime test of Miller and Rabin. */
static uint32_t passes(uint32_t witness, const isopod_prime *prime) {
    uint32_t odd = prime->modulus - 1u, twos = 0;
    for (; (odd & 1u) == 0; odd >>= 1) {
        twos++;
    }
    int32_t power = isopod_montgomery_power(isopod_to_montgomery(witness, prime), odd, prime);
    if (is_one(power, prime) || is_minus_one(power, prime)) {
        return 1;
    }
    for (uint32_t i = 1; i < twos; i++) {
        power = isopod_montgomery(power, power, prime);
        if (is_minus_one(power, prime)) {
            return 1;
        }
    }
    return 0;
}

/* Exact below 4759123141 for these witnesses ([JAESCHKE93]). */
static uint32_t is_prime(const isopod_prime *prime) {
    return passes(2, prime) && passes(7, prime) && passes(61, prime);
}

static uint32_t is_in_chain(const isopod_bfv_params *params) {
    uint32_t found = params->special_prime == params->plain->modulus;
    for (uint32_t j = 0; j < params->prime_count; j++) {
        found |= isopod_parameters_modulus(params, j) == params->plain->modulus;
    }
    return found;
}

ISOPOD_SMALL isopod_status isopod_parameters_check_plain(const isopod_bfv_params *params) {
    const isopod_prime *plain = params->plain;
    uint32_t t = plain->modulus, order = UINT32_C(2) << params->log2_ring_degree;
    if (t <= order || t >= UINT32_C(1) << 30 || (t - 1u) % order != 0) {
        return ISOPOD_ERROR_PLAIN_CONGRUENCE;
    }
    if (!isopod_is_valid_prime(plain, params->log2_ring_degree, order) || is_in_chain(params)) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    return is_prime(plain) ? ISOPOD_OK : ISOPOD_ERROR_PLAIN_PRIME;
}
