/* CKKS in packets: integers times a power of two (spec/ckks.md, section 4.3). Constant time. */
#include "../packet.h"

#include "../../schemes/integer_range.h"

#define LEAST_LOG2_BOUND (-20)
#define MOST_LOG2_BOUND 40
#define MOST_LOG2_UNIT 31

static isopod_status check(const isopod_packet_config *config) {
    int bits = config->log2_scale + config->log2_bound;
    if (config->params->plain != NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    if (config->log2_scale < config->params->log2_scale_min ||
        config->log2_scale > config->params->log2_scale_max) {
        return ISOPOD_ERROR_SCALE;
    }
    return config->bound != 0 || config->log2_bound < LEAST_LOG2_BOUND ||
                   config->log2_bound > MOST_LOG2_BOUND || config->log2_unit < -MOST_LOG2_UNIT ||
                   config->log2_unit > MOST_LOG2_UNIT || bits < 0 ||
                   bits + 2 > config->params->primes->bits
               ? ISOPOD_ERROR_BOUND
               : ISOPOD_OK;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == config->log2_bound; */
static int32_t bound(const isopod_packet_config *config) {
    return config->log2_bound;
}

/* The bound in units of the values is at most 2^31. */
static isopod_status check_values(const isopod_packet_config *config, const isopod_values *values) {
    int bits = config->log2_bound - config->log2_unit;
    uint32_t most = bits < 0 ? 0 : (uint32_t)1 << (bits < 30 ? bits : 30);
    if (values->type == ISOPOD_VALUES_INT16) {
        return bits >= 15 ? ISOPOD_OK : isopod_int16_check(values, most);
    }
    if (values->type != ISOPOD_VALUES_INT32) {
        return ISOPOD_ERROR_VALUE_TYPE;
    }
    return bits >= 31 ? ISOPOD_OK : isopod_integers_check(values, most);
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

static int32_t message(const isopod_packet *packet, int32_t value) {
    return scaled(value, packet->config->log2_scale + packet->config->log2_unit);
}

const isopod_packet_scheme isopod_packet_ckks ISOPOD_PROGRAM_MEMORY = {.kind =
                                                                           ISOPOD_KIND_CKKS_SECRET,
                                                                       .check = check,
                                                                       .bound = bound,
                                                                       .check_values = check_values,
                                                                       .message = message};
