/* BFV in packets: the integer next to q * p / t (spec/bfv.md, section 3). Constant time. */
#include "../packet.h"

#include "../../base/parameters.h"
#include "../../schemes/integer_range.h"

#define NOISE 22u /* spec/bfv.md, section 5 */

static isopod_status check(const isopod_packet_config *config) {
    if (config->params->plain == NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    uint32_t plain = config->params->plain->modulus;
    isopod_status status = isopod_parameters_check_plain(config->params);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (config->log2_scale != 0 || config->log2_bound != 0) {
        return ISOPOD_ERROR_SCALE;
    }
    if (config->log2_unit != 0 || config->bound > plain / 2u) {
        return ISOPOD_ERROR_BOUND;
    }
    uint32_t noise = NOISE + (UINT32_C(1) << config->dropped >> 1);
    return config->params->primes->modulus / (2u * plain) < noise ? ISOPOD_ERROR_LEVEL : ISOPOD_OK;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires \valid_read(config->params->plain);
    requires config->bound <= 0x7fffffff;
    assigns \nothing;
    ensures \result == (config->bound != 0 ? config->bound : config->params->plain->modulus / 2); */
static int32_t bound(const isopod_packet_config *config) {
    return (int32_t)(config->bound != 0 ? config->bound : config->params->plain->modulus / 2u);
}

static isopod_status check_values(const isopod_packet_config *config, const isopod_values *values) {
    uint32_t most = (uint32_t)bound(config);
    return values->type == ISOPOD_VALUES_INT16
               ? isopod_int16_check(values, most < 0x8000u ? most : 0x8000u)
               : isopod_integers_check(values, most);
}

/* The integer next to q * p / t, modulo q and centred: p * floor(q/t) + floor((r*p + h) / t) with r
 * = q mod t and h = (t+1)/2. The second quotient is exact modulo 2^32 once the remainder is taken
 * away. */
static int32_t message(const isopod_packet *packet, int32_t value) {
    const isopod_prime *plain = packet->config->params->plain;
    uint32_t modulus = packet->prime->modulus;
    uint32_t p = (uint32_t)value + (plain->modulus & isopod_ct_negative(value));
    uint64_t sum = (uint64_t)(modulus % plain->modulus) * p + (plain->modulus + 1u) / 2u;
    int32_t reduced = isopod_redc((int64_t)sum, plain);
    reduced = isopod_montgomery(reduced, (int32_t)plain->montgomery_square, plain);
    uint32_t rest = (uint32_t)sum - isopod_canonical(reduced, plain);
    uint32_t whole = p * (modulus / plain->modulus) + rest * (0u - plain->negative_inverse);
    uint32_t above = isopod_ct_negative((int32_t)(modulus / 2u - whole));
    return (int32_t)(whole - (modulus & above));
}

const isopod_packet_scheme isopod_packet_bfv ISOPOD_PROGRAM_MEMORY = {.kind =
                                                                          ISOPOD_KIND_BFV_SECRET,
                                                                      .check = check,
                                                                      .bound = bound,
                                                                      .check_values = check_values,
                                                                      .message = message};
