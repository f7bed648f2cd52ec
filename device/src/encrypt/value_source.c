/* Values one by one: from a callback, in units, clamped. Each is checked while it is encoded, in
 * constant time: the outcome, its place and the number of clamped values are public. */
#include "value_source.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../encode/decomposed.h"
#include "method.h"

#define MOST_LOG2_UNIT 31

/* All ones if a > b; both below 2^63. */
//@ assigns \nothing;
static uint32_t exceeds(uint64_t a, uint64_t b) {
    return isopod_ct_negative((int32_t)((b - a) >> 32));
}

/* Copies a value of the source, or asks the callback for it; the value is wiped with the stack. */
static void fetch(const isopod_value_source *source, uint32_t index, uint64_t *value) {
    const uint8_t *data = source->values.data;
    uint32_t bytes = source->values.type == ISOPOD_VALUES_FLOAT64 ? 8
                     : source->values.type == ISOPOD_VALUES_INT16 ? 2
                                                                  : 4;
    if (data == NULL) {
        isopod_value_source_ask(source, index, 1, bytes, value);
    } else {
        isopod_copy((uint8_t *)value, data + (size_t)bytes * index, bytes);
    }
}

static uint32_t is_not_finite(const isopod_values *one) {
    switch (one->type) {
    case ISOPOD_VALUES_FLOAT32:
        return isopod_ct_negative(
            (int32_t)(ISOPOD_FLOAT32_INFINITY - 1u - (*(const uint32_t *)one->data & 0x7fffffffu)));
    case ISOPOD_VALUES_FLOAT64:
        return exceeds(*(const uint64_t *)one->data & 0x7fffffffffffffffu,
                       ISOPOD_FLOAT64_INFINITY - 1u);
    default:
        return 0;
    }
}

/* most * 2^(log2_most - exponent) as a bound of magnitudes, rounded down; at most 2^62. */
/*@ requires \valid_read(reader);
    requires -0x10000 <= reader->log2_most <= 0x10000 && -0x10000 <= exponent <= 0x10000;
    assigns \nothing; */
static uint64_t limit_at(const isopod_checked_reader *reader, int32_t exponent) {
    int32_t up = reader->log2_most - exponent;
    uint32_t is_low = isopod_ct_negative(up), is_high = isopod_ct_negative(62 - up);
    uint32_t by = isopod_ct_select(is_high, 62, (uint32_t)up & ~is_low);
    return isopod_ct_shift_left(reader->most, by) & ~isopod_ct_mask64(is_low);
}

/* Notes the first value that is refused, and counts those that are clamped. */
static void note(isopod_checked_reader *reader, uint32_t index, uint32_t over,
                 uint32_t not_finite) {
    uint32_t refused = not_finite | (over & ~reader->clamps), earlier = reader->refused;
    uint32_t is_first = refused & isopod_ct_negative((int32_t)(index - earlier));
    reader->refused = isopod_ct_select(is_first, index, earlier);
    reader->over = isopod_ct_select(is_first, over & ~not_finite, reader->over);
    reader->not_finite = isopod_ct_select(is_first, not_finite, reader->not_finite);
    reader->clamped += over & ~refused & 1u;
    reader->asked++;
}

static isopod_decomposed parts_of(const isopod_values *one) {
    switch (one->type) {
    case ISOPOD_VALUES_FLOAT32:
        return isopod_decompose32(*(const uint32_t *)one->data);
    case ISOPOD_VALUES_FLOAT64:
        return isopod_decompose64(*(const uint64_t *)one->data);
    case ISOPOD_VALUES_INT16:
        return isopod_decompose_integer(*(const int16_t *)one->data);
    case ISOPOD_VALUES_UINT32:
        return (isopod_decomposed){*(const uint32_t *)one->data, 0, 0};
    default:
        return isopod_decompose_integer(*(const int32_t *)one->data);
    }
}

/* Adds an integer to the linear tags, if there are any, when it is asked for the first time. */
static ISOPOD_NOINLINE void tag_value(isopod_checked_reader *reader, uint32_t index,
                                      const isopod_decomposed *value) {
    const uint32_t sign = isopod_ct_barrier(0u - value->sign);
    const int32_t number = (int32_t)(((uint32_t)value->magnitude ^ sign) - sign);
    const isopod_values one = {&number, 1, ISOPOD_VALUES_INT32};
    if (reader->tagged != NULL && index == reader->asked) {
        reader->tagged->config->linear_key->method->add_whole(reader->tagged, &reader->linear, &one,
                                                              index);
    }
}

static isopod_decomposed checked_at(isopod_value_reader *base, uint32_t index) {
    isopod_checked_reader *reader = (isopod_checked_reader *)(void *)base;
    uint64_t room = 0;
    const isopod_values one = {&room, 1, reader->source->values.type};
    fetch(reader->source, index, &room);
    isopod_decomposed value = parts_of(&one);
    uint32_t not_finite = is_not_finite(&one);
    value.exponent += reader->source->log2_unit;
    uint32_t over = exceeds(value.magnitude, limit_at(reader, value.exponent)) | not_finite;
    uint64_t kept = value.magnitude & ~isopod_ct_mask64(over);
    value.magnitude = kept | (reader->most & over & reader->clamps & ~not_finite);
    value.exponent =
        (int32_t)isopod_ct_select(over, (uint32_t)reader->log2_most, (uint32_t)value.exponent);
    tag_value(reader, index, &value);
    note(reader, index, over, not_finite);
    return value;
}

/*@ requires \valid_read(context) && \valid_read(context->scheme);
    assigns \nothing;
    ensures \result == ISOPOD_OK || \result == ISOPOD_ERROR_VALUE_TYPE;
    ensures type == ISOPOD_VALUES_INT16 || type == ISOPOD_VALUES_INT32 ==> \result == ISOPOD_OK; */
static isopod_status check_type(const isopod_encryption *context, isopod_value_type type) {
    uint32_t is_short = type == ISOPOD_VALUES_INT16 || type == ISOPOD_VALUES_INT32;
    uint32_t is_real = context->scheme->kind_public == ISOPOD_KIND_CKKS_PUBLIC;
    uint32_t is_other = is_real ? type == ISOPOD_VALUES_FLOAT32 || type == ISOPOD_VALUES_FLOAT64
                                : type == ISOPOD_VALUES_UINT32;
    return is_short || is_other ? ISOPOD_OK : ISOPOD_ERROR_VALUE_TYPE;
}

static isopod_status open(isopod_checked_reader *reader, const isopod_encryption *context) {
    const isopod_value_source *source = reader->source;
    isopod_value_type type = source->values.type;
    uint32_t is_real = context->scheme->kind_public == ISOPOD_KIND_CKKS_PUBLIC;
    uint32_t has_unit = is_real && (type == ISOPOD_VALUES_INT16 || type == ISOPOD_VALUES_INT32);
    int32_t bound = context->scheme->bound(context->config);
    if (!isopod_value_source_is_there(source)) {
        return ISOPOD_ERROR_COUNT;
    }
    if (source->log2_unit > MOST_LOG2_UNIT || source->log2_unit < -MOST_LOG2_UNIT ||
        (source->log2_unit != 0 && !has_unit)) {
        return ISOPOD_ERROR_BOUND;
    }
    reader->most = is_real ? 1 : (uint32_t)bound;
    reader->log2_most = is_real ? bound : 0;
    return check_type(context, type);
}

/* Computes the outcome. Repeated values were all asked for equally often; a complex value counts as
 * two numbers. */
static isopod_status finish(isopod_checked_reader *reader, isopod_encryption *context) {
    uint32_t is_complex = context->config->layout == ISOPOD_COMPLEX ||
                          context->config->layout == ISOPOD_COMPLEX_REPEATED;
    ISOPOD_DECLASSIFY(*reader);
    if (reader->not_finite != 0 || reader->over != 0) {
        context->refused = reader->refused >> is_complex;
        return reader->not_finite != 0 ? ISOPOD_ERROR_NOT_FINITE : ISOPOD_ERROR_VALUE_RANGE;
    }
    context->clamped = reader->clamped / (reader->asked / (context->count << is_complex));
    return ISOPOD_OK;
}

static isopod_status encode(isopod_checked_reader *reader, isopod_encryption *context,
                            const isopod_noise_key *noise) {
    const isopod_values read = {reader, context->count, ISOPOD_VALUES_READ};
    const isopod_linear_key *key = context->config->linear_key;
    reader->tagged = key != NULL ? context : NULL;
    isopod_encryption_encode(context, &read, noise);
    if (key != NULL) {
        key->method->finish_whole(context, &reader->linear);
    }
    return finish(reader, context);
}

static isopod_status begin(isopod_encryption *context, const isopod_encryption_config *config,
                           const isopod_encryptor *encryptor, const isopod_value_source *source,
                           const struct isopod_scheme *scheme) {
    isopod_checked_reader reader = {.reader = {checked_at},
                                    .open = open,
                                    .encode = encode,
                                    .source = source,
                                    .refused = UINT32_MAX >> 1,
                                    .clamps = config->out_of_range != NULL ? UINT32_MAX : 0};
    const struct isopod_encryption_input input = {scheme, &source->values, &reader,
                                                  source->log2_unit};
    const isopod_status status = isopod_encryption_begin_input(context, config, encryptor, &input);
    isopod_wipe(&reader.linear, sizeof reader.linear);
    return status;
}

isopod_status isopod_encryption_begin_from(isopod_encryption *context,
                                           const isopod_encryption_config *config,
                                           const isopod_encryptor *encryptor,
                                           const isopod_value_source *source,
                                           const struct isopod_scheme *scheme) {
    return begin(context, config, encryptor, source, scheme);
}

static isopod_status begin_clamped(isopod_encryption *context,
                                   const isopod_encryption_config *config,
                                   const isopod_encryptor *encryptor,
                                   const struct isopod_encryption_input *input) {
    const isopod_value_source source = {.values = *input->values};
    return begin(context, config, encryptor, &source, input->scheme);
}

const isopod_range_rule isopod_clamp = {.begin = begin_clamped};
