/* The values of a contribution (spec/owners.md, section 3): exact fractions of the modulus from
 * residues, and the noise that hides the share (section 4). */
#ifndef ISOPOD_FRACTION_H
#define ISOPOD_FRACTION_H

#include "isopod/params.h"

#define ISOPOD_HOLDER_FRACTION_BITS 28u
/* Least and most bits of the modulus. */
#define ISOPOD_FRACTION_MODULUS_LEAST 62u

/* Most m: the noise is below 14 * 2^m, an integer of 63 bits. */
#define ISOPOD_FLOOD_SHIFT 58u
/* Words of randomness for one coefficient. */
#define ISOPOD_FLOOD_WORDS 5u

/* Constants of a set of three primes and of b bits. Public. */
typedef struct {
    const isopod_prime *primes;
    int32_t inverse01, inverse02, inverse12; /* of q0 mod q1, q0 mod q2, q1 mod q2 */
    uint32_t modulus[3];                     /* Q */
    uint32_t offset[3];                      /* (Q - 1) / 2 - Q modulo 2^96 */
    uint32_t quotient, quotient_shift;       /* 2^(b + shift + bits of Q - 30) / Q */
    uint32_t top_shift;
    uint32_t power, mask; /* 2^b, 2^b - 1 */
} isopod_fraction;

/* Bit length of the product of the three primes. */
uint32_t isopod_fraction_modulus_bits(const isopod_params *params);

/* 1 <= bits <= ISOPOD_HOLDER_FRACTION_BITS. */
void isopod_fraction_start(isopod_fraction *fraction, const isopod_params *params, uint32_t bits);

/* round(2^b (d + E) / Q) mod 2^b of the d with residues x, each within its prime, |x| < q, and
 * |E| < Q. */
uint32_t isopod_fraction_of(const isopod_fraction *fraction, const int32_t x[3], int64_t noise);

/* E of one coefficient; power is 2^m. */
int64_t isopod_flood(const uint32_t words[ISOPOD_FLOOD_WORDS], uint64_t power);

#endif
