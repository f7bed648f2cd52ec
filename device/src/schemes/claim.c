/* The check of a result's claims: primes and slots within the set, 1 <= scale < 2^120 (1 in
 * BFV). */
#include "claim.h"

#include <stddef.h>

#define SCALE_ONE 0x3ff0000000000000u

/*@ assigns \nothing;
    ensures -1 <= \result <= 120; */
int32_t isopod_log2_scale(uint64_t scale) {
    int32_t exponent = (int32_t)(scale >> 52) - 1023;
    if (exponent < 0 || exponent >= 120) {
        return -1;
    }
    return exponent + (scale << 12 != 0);
}

/*@ requires \valid_read(params) && \valid_read(claim);
    requires 1 <= params->log2_ring_degree <= 31;
    assigns \nothing;
    ensures \result == ISOPOD_OK ==> 1 <= claim->primes <= params->prime_count;
    ensures \result == ISOPOD_OK ==> 1 <= claim->columns <= claim->stride && claim->rows >= 1; */
isopod_status isopod_claim_check(const isopod_params *params, const isopod_claim *claim) {
    uint32_t is_integer = params->plain != NULL;
    return isopod_claim_check_within(
        params, claim, UINT32_C(1) << (params->log2_ring_degree - (is_integer ? 0u : 1u)));
}

/*@ requires \valid_read(params) && \valid_read(claim);
    assigns \nothing;
    ensures \result == ISOPOD_OK ==> 1 <= claim->primes <= params->prime_count;
    ensures \result == ISOPOD_OK ==> 1 <= claim->columns <= claim->stride && claim->rows >= 1; */
isopod_status isopod_claim_check_within(const isopod_params *params, const isopod_claim *claim,
                                        uint32_t places) {
    uint32_t is_integer = params->plain != NULL;
    if (claim->primes == 0 || claim->primes > params->prime_count) {
        return ISOPOD_ERROR_LEVEL;
    }
    if (is_integer ? claim->scale != SCALE_ONE : isopod_log2_scale(claim->scale) < 0) {
        return ISOPOD_ERROR_SCALE;
    }
    uint64_t end = (uint64_t)claim->stride * (claim->rows - 1u) + claim->columns + claim->first;
    if (claim->rows == 0 || claim->columns == 0 || claim->columns > claim->stride || end > places) {
        return ISOPOD_ERROR_COUNT;
    }
    return ISOPOD_OK;
}
