/* The decoder of BFV results of sets of 32-bit primes (spec/decryption.md, section 3). */
#include "../base/workspace.h"
#include "bfv_decode.h"
#include "../ring/montgomery.h"

/* Sums products of a residue below 2^30 and a factor of at most t/2. Three products and the rounded
 * sum give |result| <= (3 * 2^30 + 3) * (t/2) / 2^32 + t/2 < t. */
static inline int32_t plain_at(const int32_t *x, uint32_t n, const isopod_prime *primes,
                               const isopod_bfv_rounding *of, uint32_t *refused) {
    uint32_t fractions = 0;
    int64_t sum = 0;
    for (uint32_t j = 0; j < of->count; j++) {
        const isopod_bfv_term *term = &of->terms[j];
        uint32_t residue = isopod_canonical(x[(size_t)n * j], &primes[j]);
        fractions += (uint32_t)((uint64_t)residue * term->reciprocal >> term->bits);
        sum += (int64_t)(int32_t)residue * term->low;
    }
    sum += (int64_t)(int32_t)isopod_bfv_nearest(fractions, refused) * of->one;
    return isopod_redc(sum, of->plain);
}

static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    const isopod_params *params = context->config->params;
    const isopod_bfv_rounding of = isopod_bfv_rounding_of(context);
    int32_t *x = isopod_workspace_room(context->workspace);
    uint32_t n = UINT32_C(1) << params->log2_ring_degree, refused = 0;
    const isopod_claim *claim = &context->claim;
    uint32_t is_part = context->config->layout == ISOPOD_COEFFICIENTS_ROUNDED;
    uint32_t rows = is_part ? claim->rows : 1u, columns = is_part ? claim->columns : n;
    for (uint32_t row = 0; row < rows; row++) {
        int32_t *from = is_part ? x + claim->first + (size_t)row * claim->stride : x;
        for (uint32_t k = 0; k < columns; k++) {
            from[k] = plain_at(from + k, n, params->primes, &of, &refused);
        }
    }
    return isopod_bfv_write(context, out, refused);
}

const isopod_decoder isopod_bfv_decode = {.word_bytes = 4,
                                          .multiplier = isopod_bfv_multiplier,
                                          .check = isopod_bfv_check_decoding,
                                          .check_type = isopod_bfv_check_type,
                                          .take = isopod_decrypt_take,
                                          .take_rounded = isopod_decrypt_take_rounded,
                                          .decode = decode};
