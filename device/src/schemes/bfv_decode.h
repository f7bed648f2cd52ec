/* Rounding and decoding of integers by sums of fractions ([HPS18]; spec/decryption.md, section
 * 3). */
#ifndef ISOPOD_BFV_DECODE_H
#define ISOPOD_BFV_DECODE_H

#include "../decrypt/decrypt.h"
#include "claim.h"

#define ISOPOD_FRACTION_BITS 30u

/* The contribution of a prime q of w bits to a coefficient. Factors are in Montgomery form, at most
 * t/2. */
typedef struct {
    uint64_t modulus;
    uint32_t bits;
    uint32_t reciprocal; /* floor(2^(w+30) / q), below 2^31 */
    int32_t low;         /* -1/q modulo t */
    int32_t high;        /* -2^30/q modulo t */
} isopod_bfv_term;

typedef struct {
    isopod_bfv_term terms[ISOPOD_DECRYPT_PRIMES];
    uint32_t count;
    int32_t one; /* modulo t, in Montgomery form, at most t/2 */
    const isopod_prime *plain;
} isopod_bfv_rounding;

isopod_bfv_rounding isopod_bfv_rounding_of(const isopod_decrypt *context);

/* The integer nearest to a sum of fractions; sets the top bit of *refused if the sum is too far
 * from it. */
static inline uint32_t isopod_bfv_nearest(uint32_t sum, uint32_t *refused) {
    uint32_t raised = sum + (UINT32_C(1) << (ISOPOD_FRACTION_BITS - 1u));
    uint32_t rest = (raised & ((UINT32_C(1) << ISOPOD_FRACTION_BITS) - 1u)) - (UINT32_C(1) << 26);
    *refused |= rest | ((UINT32_C(1) << ISOPOD_FRACTION_BITS) - (UINT32_C(1) << 27) - 1u - rest);
    return raised >> ISOPOD_FRACTION_BITS;
}

/* The functions that both tables of decoders name. */
uint32_t isopod_bfv_multiplier(const isopod_params *params);
isopod_status isopod_bfv_check_decoding(const isopod_decrypt_config *config,
                                        const isopod_claim *claim);
isopod_status isopod_bfv_check_type(const isopod_decrypt_config *config, isopod_value_type type);

/* Writes the values of a plaintext polynomial |x| < t at the beginning of the workspace, or zeros
 * if it is refused. The top bit of the returned word is set if it is. */
uint32_t isopod_bfv_write(const isopod_decrypt *context, const isopod_decoded *out,
                          uint32_t refused);

#endif
