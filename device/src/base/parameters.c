/* Checks of parameter sets for CKKS and BFV (spec/ckks.md, section 1). Bounds: n = 2^10 .. 2^15, 1
 * to 15 data primes below 2^30 or 2^60, log2 QP within the limit of the label ([GUIDELINES24],
 * [HESTD18]). */
#include "memory.h"
#include "parameters.h"

#define LEAST_LOG2_DEGREE 10u
#define LARGEST_LOG2_DEGREE 15u

/* Largest log2 QP for ternary secrets at n = 2^10 .. 2^15: label 128 by [GUIDELINES24], label
 * compat-2018 by [HESTD18]. */
static const uint16_t limits[][LARGEST_LOG2_DEGREE - LEAST_LOG2_DEGREE + 1u] = {
    {26, 53, 106, 214, 430, 868}, {27, 54, 109, 218, 438, 881}};

//@ assigns \nothing;
static uint32_t bit_length(uint64_t value) {
    uint32_t high = (uint32_t)(value >> 32);
    uint32_t word = high != 0 ? high : (uint32_t)value;
    uint32_t bits = high != 0 ? 32 : 0;
    /*@ loop invariant 0 <= step <= 16;
        loop assigns step, word, bits;
        loop variant step; */
    for (uint32_t step = 16; step != 0; step >>= 1) {
        uint32_t shifted = word >> step;
        word = shifted != 0 ? shifted : word;
        bits += shifted != 0 ? step : 0;
    }
    return bits + word;
}

/* Whether the bit length is `bits`; it does not count bits, because every encryption asks. */
/*@ assigns \nothing;
    ensures \result != 0 ==> 1 <= bits <= 32;
    ensures \result == (1 <= bits <= 32 && (value >> (bits - 1)) == 1 ? 1 : 0); */
static uint32_t has_bits(uint32_t value, uint32_t bits) {
    return bits >= 1 && bits <= 32 && value >> (bits - 1u) == 1;
}

/*@ requires \valid_read(params) && level <= 255;
    requires params->primes64 != \null ==> \valid_read(params->primes64 + (0 .. level - 1));
    requires params->primes64 == \null ==> \valid_read(params->primes + (0 .. level - 1));
    assigns \nothing;
    ensures \result <= 255 * level; */
ISOPOD_SMALL uint32_t isopod_parameters_data_bits(const isopod_params *params, uint32_t level) {
    uint32_t bits = 0;
    /*@ loop invariant 0 <= j <= level && bits <= 255 * j;
        loop assigns j, bits;
        loop variant level - j; */
    for (uint32_t j = 0; j < level; j++) {
        bits += isopod_parameters_bits(params, j);
    }
    return bits;
}

uint64_t isopod_parameters_product(const isopod_params *params, uint32_t level) {
    uint64_t product = 1;
    for (uint32_t j = 0; j < level; j++) {
        product *= params->primes[j].modulus;
    }
    return product;
}

uint32_t isopod_parameters_product_bits(const isopod_params *params, uint32_t level) {
    uint32_t bits = isopod_parameters_data_bits(params, level);
    return bits - (isopod_parameters_product(params, level) >> (bits - 1u) == 0);
}

ISOPOD_SMALL uint32_t isopod_is_valid_prime(const isopod_prime *prime, uint32_t log2_ring_degree,
                                            uint32_t least) {
    uint32_t q = prime->modulus;
    return q < UINT32_C(1) << 30 && q > least &&
           (q - 1u) % (UINT32_C(2) << log2_ring_degree) == 0 &&
           prime->negative_inverse * q + 1u == 0 && has_bits(q, prime->bits) &&
           (uint64_t)prime->barrett * q + q / 2 - ((uint64_t)1 << 32) < q; /* round(2^32 / q) */
}

static uint32_t is_valid_prime64(const isopod_prime64 *prime, uint32_t log2_ring_degree) {
    uint64_t q = prime->modulus;
    return q < (uint64_t)1 << 60 && q > UINT32_C(1) << 20 &&
           (q & ((UINT32_C(2) << log2_ring_degree) - 1u)) == 1 && prime->inverse * q == 1 &&
           prime->bits == bit_length(q) && prime->barrett >> (65u - prime->bits) == 0 &&
           prime->barrett * q + q / 2 < q; /* round(2^64 / q) */
}

static uint32_t is_valid_data_prime(const isopod_params *params, uint32_t index) {
    uint32_t degree = params->log2_ring_degree;
    return isopod_parameters_has_primes64(params)
               ? is_valid_prime64(&params->primes64[index], degree)
               : isopod_is_valid_prime(&params->primes[index], degree, UINT32_C(1) << 20);
}

ISOPOD_SMALL isopod_status isopod_parameters_check(const isopod_params *params) {
    uint32_t degree = params->log2_ring_degree, label = (uint32_t)params->label - ISOPOD_LABEL_128;
    if (degree < LEAST_LOG2_DEGREE || degree > LARGEST_LOG2_DEGREE || params->prime_count == 0 ||
        params->prime_count > 15 || (params->primes == NULL) == (params->primes64 == NULL) ||
        label > 1) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    for (uint32_t j = 0; j < params->prime_count; j++) {
        if (!is_valid_data_prime(params, j)) {
            return ISOPOD_ERROR_PARAMETERS;
        }
    }
    uint32_t bits = isopod_parameters_data_bits(params, params->prime_count) +
                    bit_length(params->special_prime);
    return bits <= limits[label][degree - LEAST_LOG2_DEGREE] ? ISOPOD_OK : ISOPOD_ERROR_PARAMETERS;
}
