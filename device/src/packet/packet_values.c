/* Values of a packet as messages: in CKKS integers times a power of two (spec/ckks.md, section
 * 4.3), in BFV the integer next to q * p / t (spec/bfv.md, section 3). Constant time. */
#include "packet.h"

#include "../schemes/integer_range.h"

static isopod_status check_bound(const isopod_values *values, uint32_t most) {
    if (values->type == ISOPOD_VALUES_INT16) {
        return isopod_int16_check(values, most < 0x8000u ? most : 0x8000u);
    }
    return isopod_integers_check(values, most);
}

/* log2 of the bound in units of the values, which are at most 2^31. */
static isopod_status check_reals(const isopod_packet_config *config, const isopod_values *values) {
    int bits = config->log2_bound - config->log2_unit;
    if (values->type != ISOPOD_VALUES_INT16 && values->type != ISOPOD_VALUES_INT32) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    return bits >= (values->type == ISOPOD_VALUES_INT16 ? 15 : 31)
               ? ISOPOD_OK
               : check_bound(values, bits < 0 ? 0 : (uint32_t)1 << (bits < 30 ? bits : 30));
}

isopod_status isopod_packet_check_values(const isopod_packet_config *config,
                                         const isopod_values *values) {
    if (values->data == NULL ||
        values->count != isopod_packet_rows(config) * (uint32_t)config->columns) {
        return ISOPOD_ERROR_COUNT;
    }
    return config->params->plain == NULL ? check_reals(config, values)
                                         : check_bound(values, isopod_packet_bound(config));
}

/* integer * 2^shift, ties away from zero. The shift is public. */
static inline int32_t scaled(int32_t integer, int32_t shift) {
    uint32_t sign = isopod_ct_negative(integer);
    uint32_t magnitude = ((uint32_t)integer ^ sign) - sign;
    if (shift >= 0) {
        magnitude = shift > 31 ? 0 : magnitude << shift;
    } else {
        uint32_t by = (uint32_t)-shift;
        magnitude = by > 32u ? 0 : ((magnitude >> (by - 1u)) + 1u) >> 1;
    }
    return (int32_t)((magnitude ^ sign) - sign);
}

/* The integer next to q * p / t, modulo q and centred: p * floor(q/t) + floor((r*p + h) / t) with r
 * = q mod t and h = (t+1)/2. The second quotient is exact modulo 2^32 once the remainder is taken
 * away. */
static int32_t scaled_plain(const isopod_packet *packet, int32_t value) {
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

int32_t isopod_packet_message(const isopod_packet *packet, uint32_t index) {
    const isopod_packet_config *config = packet->config;
    int32_t value = packet->values->type == ISOPOD_VALUES_INT16
                        ? ((const int16_t *)packet->values->data)[index]
                        : ((const int32_t *)packet->values->data)[index];
    return config->params->plain == NULL ? scaled(value, config->log2_scale + config->log2_unit)
                                         : scaled_plain(packet, value);
}
