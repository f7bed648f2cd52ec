/* The decoder of CKKS results at one 32-bit prime and of at most 28 bits (spec/decryption.md,
 * section 2). */
#include "../base/workspace.h"
#include "decode_reals.h"

static isopod_status check(const isopod_decrypt_config *config, const isopod_claim *claim) {
    isopod_status status = isopod_reals_check(config, claim);
    int32_t magnitude = isopod_log2_scale(claim->scale) + config->log2_bound;
    if (status == ISOPOD_OK && (claim->primes > 1 || magnitude > ISOPOD_DECODE32_LIMIT)) {
        status = ISOPOD_ERROR_BOUND;
    }
    return status;
}

/* Folded words take the first half of the polynomial, words of the transform its second half. */
static uint32_t decode(const isopod_decrypt *context, const isopod_decoded *out) {
    isopod_decoding decoding = isopod_reals_decoding(context);
    int32_t *x = isopod_workspace_room(context->workspace);
    uint32_t refused = isopod_fold32(x, &decoding, context->config->params->primes);
    return refused | isopod_reals_finish32(context, out, x + decoding.n / 2, x);
}

const isopod_decoder isopod_ckks_decode_lean = {.word_bytes = 4,
                                                .check = check,
                                                .check_type = isopod_reals_check_type,
                                                .take = isopod_decrypt_take,
                                                .decode = decode};
