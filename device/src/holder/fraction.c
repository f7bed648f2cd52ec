/* Exact fractions of the product of three primes. Constant time with respect to residues and noise.
 *
 * d = v0 + q0 (v1 + q1 v2) by Garner's algorithm, and z = d + E + Q, 0 < z < 3Q. The value is
 * floor((2^b z + h) / Q) with h = (Q - 1) / 2. The first 32 bits of z, times a quotient of 32 bits,
 * give it or one less: what is lost is below 2^(b - 28) <= 1. The remainder, which is below 2Q,
 * tells which. */
#include "fraction.h"

#include "../base/constant_time.h"
#include "../ring/power.h"
#include "flood_thresholds.h"

/* Writes the product of Q. */
static void product_of(uint32_t modulus[3], const isopod_prime *primes) {
    uint64_t two = (uint64_t)primes[1].modulus * primes[2].modulus;
    uint64_t low = (two & UINT32_MAX) * primes[0].modulus;
    uint64_t high = (two >> 32) * primes[0].modulus + (low >> 32);
    modulus[0] = (uint32_t)low;
    modulus[1] = (uint32_t)high;
    modulus[2] = (uint32_t)(high >> 32);
}

static uint32_t bits_of(const uint32_t modulus[3]) {
    uint32_t bits = 96;
    while ((modulus[(bits - 1u) / 32u] >> (bits - 1u) % 32u & 1u) == 0) {
        bits--;
    }
    return bits;
}

uint32_t isopod_fraction_modulus_bits(const isopod_params *params) {
    uint32_t modulus[3];
    product_of(modulus, params->primes);
    return bits_of(modulus);
}

/* a^-1 modulo a prime, in Montgomery form. Public. */
static int32_t inverse_of(uint32_t a, const isopod_prime *prime) {
    int32_t power =
        isopod_montgomery_power(isopod_to_montgomery(a, prime), prime->modulus - 2u, prime);
    return isopod_centred(power, prime);
}

/* 1 if a < b, 96-bit numbers; 0 <= a < 2b. */
static uint32_t take_away(uint32_t a[3], const uint32_t b[3]) {
    uint32_t left[3], borrow = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t difference = (uint64_t)a[i] - b[i] - borrow;
        left[i] = (uint32_t)difference;
        borrow = (uint32_t)(difference >> 63);
    }
    for (uint32_t i = 0; i < 3 && borrow == 0; i++) {
        a[i] = left[i];
    }
    return borrow;
}

/* floor(2^(31 + bits of Q) / Q), which has 32 bits, by long division. Public. */
static uint32_t quotient_of(const uint32_t modulus[3]) {
    uint32_t bits = bits_of(modulus), quotient = 0, rest[3] = {0};
    rest[(bits - 1u) / 32u] = UINT32_C(1) << (bits - 1u) % 32u;
    for (uint32_t i = 0; i < 32; i++) {
        rest[2] = rest[2] << 1 | rest[1] >> 31;
        rest[1] = rest[1] << 1 | rest[0] >> 31;
        rest[0] <<= 1;
        quotient = quotient << 1 | (take_away(rest, modulus) ^ 1u);
    }
    return quotient;
}

void isopod_fraction_start(isopod_fraction *fraction, const isopod_params *params, uint32_t bits) {
    const isopod_prime *primes = params->primes;
    product_of(fraction->modulus, primes);
    uint32_t modulus_bits = bits_of(fraction->modulus);
    const uint32_t *q = fraction->modulus;
    const uint32_t half[3] = {q[0] >> 1 | q[1] << 31, q[1] >> 1 | q[2] << 31, q[2] >> 1};
    uint32_t borrow = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t difference = (uint64_t)half[i] - q[i] - borrow;
        fraction->offset[i] = (uint32_t)difference;
        borrow = (uint32_t)(difference >> 63);
    }
    fraction->primes = primes;
    fraction->inverse01 = inverse_of(primes[0].modulus, &primes[1]);
    fraction->inverse02 = inverse_of(primes[0].modulus, &primes[2]);
    fraction->inverse12 = inverse_of(primes[1].modulus, &primes[2]);
    fraction->quotient = quotient_of(fraction->modulus);
    fraction->quotient_shift = 61u - bits;
    fraction->top_shift = modulus_bits - ISOPOD_FRACTION_MODULUS_LEAST;
    fraction->power = UINT32_C(1) << bits;
    fraction->mask = fraction->power - 1u;
}

/* z = d + E + Q. */
static inline void number_of(uint32_t z[3], const isopod_fraction *by, const int32_t x[3],
                             int64_t noise) {
    const isopod_prime *primes = by->primes;
    uint32_t v0 = isopod_canonical(x[0], &primes[0]);
    int32_t w1 = isopod_montgomery(x[1] - (int32_t)v0, by->inverse01, &primes[1]);
    uint32_t v1 = isopod_canonical(w1, &primes[1]);
    int32_t w2 = isopod_montgomery(x[2] - (int32_t)v0, by->inverse02, &primes[2]);
    w2 = isopod_montgomery(w2 - (int32_t)v1, by->inverse12, &primes[2]);
    uint64_t upper = v1 + (uint64_t)isopod_canonical(w2, &primes[2]) * primes[1].modulus;
    uint64_t t = (upper & UINT32_MAX) * primes[0].modulus + v0;
    uint64_t sum = (uint64_t)(uint32_t)t + (uint32_t)noise + by->modulus[0];
    z[0] = (uint32_t)sum;
    t = (upper >> 32) * primes[0].modulus + (t >> 32);
    sum = (uint64_t)(uint32_t)t + (uint32_t)((uint64_t)noise >> 32) + by->modulus[1] + (sum >> 32);
    z[1] = (uint32_t)sum;
    z[2] = (uint32_t)(t >> 32) + isopod_ct_negative((int32_t)((uint64_t)noise >> 32)) +
           by->modulus[2] + (uint32_t)(sum >> 32);
}

/* The borrow of difference = a - b - borrow. In logic: compilers make branches of comparisons. */
static inline uint32_t borrow_of(uint32_t a, uint32_t b, uint32_t difference) {
    return isopod_ct_barrier(((~a & b) | (~(a ^ b) & difference)) >> 31);
}

/* 1 if 2^b z + h >= (value + 1) Q, otherwise 0: the sign of the difference, within 2^95. */
static inline uint32_t is_more(const isopod_fraction *by, const uint32_t z[3], uint32_t value) {
    const uint32_t *q = by->modulus;
    uint64_t a0 = (uint64_t)z[0] * by->power + by->offset[0], b0 = (uint64_t)value * q[0];
    uint64_t a1 = (uint64_t)z[1] * by->power + by->offset[1] + (a0 >> 32);
    uint64_t b1 = (uint64_t)value * q[1] + (b0 >> 32);
    uint32_t a2 = z[2] * by->power + by->offset[2] + (uint32_t)(a1 >> 32);
    uint32_t b2 = value * q[2] + (uint32_t)(b1 >> 32);
    uint32_t low = (uint32_t)a0 - (uint32_t)b0;
    uint32_t borrow = borrow_of((uint32_t)a0, (uint32_t)b0, low);
    uint32_t middle = (uint32_t)a1 - (uint32_t)b1 - borrow;
    borrow = borrow_of((uint32_t)a1, (uint32_t)b1, middle);
    return ((a2 - b2 - borrow) >> 31) ^ 1u;
}

uint32_t isopod_fraction_of(const isopod_fraction *by, const int32_t x[3], int64_t noise) {
    uint32_t z[3];
    number_of(z, by, x, noise);
    uint32_t top = z[1] >> by->top_shift | z[2] << 1 << (31u - by->top_shift);
    uint64_t product = (uint64_t)top * by->quotient;
    /* The shift is 33 .. 60, and the upper word is below 3 * 2^30. */
    uint32_t half = UINT32_C(1) << (by->quotient_shift - 33u);
    uint32_t value = ((uint32_t)(product >> 32) + half) >> (by->quotient_shift - 32u);
    return (value + is_more(by, z, value)) & by->mask;
}

int64_t isopod_flood(const uint32_t words[ISOPOD_FLOOD_WORDS], uint64_t power) {
    uint32_t draw = words[0] >> 1, below = 0;
#define BELOW(threshold) below += (draw - (threshold)) >> 31;
    ISOPOD_FLOOD_EACH(BELOW)
#undef BELOW
    int32_t steps = (int32_t)(ISOPOD_FLOOD_THRESHOLDS / 2u - below);
    uint64_t first = ((uint64_t)words[2] << 32 | words[1]) & (power - 1u);
    uint64_t second = ((uint64_t)words[4] << 32 | words[3]) & (power - 1u);
    return (int64_t)((uint64_t)((int64_t)steps) * power + first + second - (power - 1u));
}
