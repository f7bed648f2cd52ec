/* The decoder of BFV results of sets of 64-bit primes (spec/decryption.md, section 3). Residues are
 * 64-bit words; t is below 2^30 in every set, so that arithmetic modulo t is in 32-bit words. */
#include "bfv_decode.h"
#include "../base/workspace.h"
#include "../base/memory.h"
#include "../ring/montgomery.h"

#define LOW_BITS 30u

/* The canonical residue of |x| < q. */
static inline uint64_t canonical(int64_t x, uint64_t modulus) {
    return (uint64_t)x + (modulus & isopod_ct_mask64(isopod_ct_negative((int32_t)(x >> 32))));
}

/* The fraction residue / q from the residue's upper 31 bits. */
static inline uint32_t fraction(uint64_t residue, const isopod_bfv_term *term) {
    uint32_t drop = term->bits > 31u ? term->bits - 31u : 0;
    return (uint32_t)((residue >> drop) * term->reciprocal >> (term->bits - drop));
}

/* Each half of a residue is treated as in bfv_decode32.c; the sum of the two is below 2t. */
static inline int32_t plain_at(const int64_t *x, uint32_t n, const isopod_bfv_rounding *of,
                               uint32_t *refused) {
    uint32_t fractions = 0;
    int64_t low = 0, high = 0;
    for (uint32_t j = 0; j < of->count; j++) {
        const isopod_bfv_term *term = &of->terms[j];
        uint64_t residue = canonical(x[(size_t)n * j], term->modulus);
        fractions += fraction(residue, term);
        low += (int64_t)(residue & ((UINT32_C(1) << LOW_BITS) - 1u)) * term->low;
        high += (int64_t)(residue >> LOW_BITS) * term->high;
    }
    low += (int64_t)(int32_t)isopod_bfv_nearest(fractions, refused) * of->one;
    return isopod_reduce(isopod_redc(low, of->plain) + isopod_redc(high, of->plain), of->plain);
}

/* Word k takes the place of residues that were read. */
static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_bfv_rounding of = isopod_bfv_rounding_of(context);
    int64_t *x = isopod_workspace_room(context->workspace);
    uint32_t n = UINT32_C(1) << context->config->params->log2_ring_degree, refused = 0;
    for (uint32_t k = 0; k < n; k++) {
        int32_t value = plain_at(x + k, n, &of, &refused);
        ((isopod_alias32 *)(void *)x)[k] = (uint32_t)value;
    }
    return isopod_bfv_write(context, out, refused);
}

const isopod_decoder isopod64_bfv_decode = {.word_bytes = 8,
                                            .multiplier = isopod_bfv_multiplier,
                                            .check = isopod_bfv_check_decoding,
                                            .check_type = isopod_bfv_check_type,
                                            .take = isopod64_decrypt_take,
                                            .decode = decode};
