/* Rounded coefficients of CKKS (spec/ckks.md, section 4.3): values times the scale. */
#include "../encode/encode.h"
#include "../encode/float32.h"
#include "../encode/values.h"
#include "../encrypt/rounded.h"
#include "integer_range.h"

/* Bounds that a frame can say (spec/wire.md, section 1). */
#define LEAST_LOG2_BOUND (-20)
#define MOST_LOG2_BOUND 40
#define MOST_LOG2_UNIT 31

static isopod_status check(const isopod_encryption_config *config) {
    int bits = config->log2_scale + config->log2_bound;
    if (config->params->plain != NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    if (config->log2_scale < config->params->log2_scale_min ||
        config->log2_scale > config->params->log2_scale_max) {
        return ISOPOD_ERROR_SCALE;
    }
    if (config->bound != 0 || config->log2_bound < LEAST_LOG2_BOUND ||
        config->log2_bound > MOST_LOG2_BOUND || bits < 0 || bits > 57 ||
        bits + 2 > (int)isopod_rounded_modulus_bits(config)) {
        return ISOPOD_ERROR_BOUND;
    }
    return ISOPOD_OK;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == config->layout; */
static uint8_t layout(const isopod_encryption_config *config) {
    return config->layout;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == config->log2_bound; */
static int32_t bound(const isopod_encryption_config *config) {
    return config->log2_bound;
}

static isopod_status check_values(const isopod_encryption_config *config, int8_t log2_unit,
                                  const isopod_values *values) {
    uint32_t is_integer =
        values->type == ISOPOD_VALUES_INT16 || values->type == ISOPOD_VALUES_INT32;
    int bits = config->log2_bound - log2_unit;
    if (log2_unit > MOST_LOG2_UNIT || log2_unit < -MOST_LOG2_UNIT ||
        (log2_unit != 0 && !is_integer)) {
        return ISOPOD_ERROR_BOUND;
    }
    bits = bits < 62 ? bits : 62;
    if (values->type != ISOPOD_VALUES_INT16) {
        return isopod_values_check(values, (int8_t)bits);
    }
    if (bits >= 15) {
        return ISOPOD_OK;
    }
    return isopod_int16_check(values, bits < 0 ? 0 : (uint32_t)1 << bits);
}

static int64_t message(const isopod_rounded *context, const isopod_values *values, uint32_t index) {
    const isopod_encryption_config *config = context->encryption.config;
    int32_t fraction = config->log2_scale + context->source.log2_unit;
    int32_t wide;
    const isopod_values one = isopod_widened(values, &index, &wide);
    return isopod_value_fixed64(&one, index, fraction);
}

/* integer * 2^shift, ties away from zero, for a shift below zero; it is public. */
static inline int32_t shifted_down(int32_t integer, uint32_t by) {
    uint32_t sign = isopod_ct_negative(integer);
    uint32_t magnitude = ((uint32_t)integer ^ sign) - sign;
    magnitude = by > 31u ? 0 : (magnitude + (1u << (by - 1u))) >> by;
    return (int32_t)((magnitude ^ sign) - sign);
}

/* Integers of 16 bits. */
static void scale_integers(int64_t *out, const int16_t *values, uint32_t count, int32_t shift) {
    const int16_t *end = values + count;
    while (shift >= 0 && values != end) {
        *out++ = *values++ * ((int32_t)1 << shift);
    }
    while (values != end) {
        *out++ = shifted_down(*values++, (uint32_t)-shift);
    }
}

/* Single floats whose messages are at most 2^30. */
static void scale_floats(int64_t *out, const uint32_t *values, uint32_t count, int32_t shift) {
    for (uint32_t i = 0; i < count; i++) {
        out[i] = isopod_float32_fixed(values[i], shift);
    }
}

static void messages(const isopod_rounded *context, const isopod_values *values, uint32_t first,
                     uint32_t count, int64_t *out) {
    const isopod_encryption_config *config = context->encryption.config;
    uint32_t is_short = config->log2_scale + config->log2_bound <= (int)ISOPOD_MESSAGE32_BITS;
    int32_t shift = config->log2_scale + context->source.log2_unit;
    if (is_short && values->type == ISOPOD_VALUES_FLOAT32) {
        scale_floats(out, (const uint32_t *)values->data + first, count, shift);
        return;
    }
    if (is_short && shift < 31 && values->type == ISOPOD_VALUES_INT16) {
        scale_integers(out, (const int16_t *)values->data + first, count, shift);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        out[i] = message(context, values, first + i);
    }
}

static int32_t factor(const isopod_rounded *context) {
    const isopod_encryption_config *config = context->encryption.config;
    int32_t shift = config->log2_scale + context->source.log2_unit;
    uint32_t is_multiplied = context->source.values.type == ISOPOD_VALUES_INT16 && shift >= 0 &&
                             shift < 31 && isopod_encryption_level(config) == 1;
    return is_multiplied ? (int32_t)1 << shift : 0;
}

static const struct isopod_rounded_scheme rounded_ckks = {
    .scheme = {.kind_public = ISOPOD_KIND_CKKS_PUBLIC,
               .kind_secret = ISOPOD_KIND_CKKS_SECRET,
               .check = check,
               .bound = bound,
               .shape = isopod_rounded_shape,
               .layout = layout},
    .check_values = check_values,
    .messages = messages,
    .factor = factor};

isopod_status isopod_ckks_rounded_begin(isopod_rounded *context,
                                        const isopod_encryption_config *config,
                                        const isopod_encryptor *encryptor,
                                        const isopod_value_source *source) {
    return isopod_rounded_begin(context, config, encryptor, source, &rounded_ckks);
}
