/* The table of CKKS ([CKKS16]; spec/ckks.md): real or complex numbers in fixed point; the noise e0
 * lies apart from the message. */
#include "isopod/ckks.h"

#include <stddef.h>

#include "../base/memory.h"
#include "../base/parameters.h"
#include "../encode/encoder.h"
#include "../encrypt/scheme.h"

/* Bounds that a frame can say (spec/wire.md, section 1). */
#define LEAST_LOG2_BOUND (-20)
#define MOST_LOG2_BOUND 40

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == 0 ==> config->log2_scale + config->log2_bound <= ISOPOD_MESSAGE32_BITS; */
static uint8_t has_message64(const isopod_encryption_config *config) {
    return config->log2_scale + config->log2_bound > (int)ISOPOD_MESSAGE32_BITS;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures config->layout == ISOPOD_COEFFICIENTS ==> \result == ISOPOD_MESSAGE_COEFFICIENTS;
    ensures \result == ISOPOD_MESSAGE_COMPLEX ==> config->layout >= ISOPOD_COMPLEX; */
static isopod_message_form form_of(const isopod_encryption_config *config) {
    if (config->layout == ISOPOD_COEFFICIENTS) {
        return ISOPOD_MESSAGE_COEFFICIENTS;
    }
    return config->layout >= ISOPOD_COMPLEX ? ISOPOD_MESSAGE_COMPLEX : ISOPOD_MESSAGE_SLOTS;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result != \null && (config->encoder != \null ==> \result == config->encoder); */
static const isopod_encoder *encoder_of(const isopod_encryption_config *config) {
    return config->encoder != NULL ? config->encoder : &isopod_encoder_slots32;
}

/* The encoder in the word size of the message; NULL if it has none of this size. */
static const isopod_encoder_words *words_of(const isopod_encryption_config *config) {
    const isopod_encoder *encoder = encoder_of(config);
    return has_message64(config) ? encoder->words64 : encoder->words32;
}

static isopod_status check_encoder(const isopod_encryption_config *config) {
    if (encoder_of(config)->form != form_of(config)) {
        return ISOPOD_ERROR_LAYOUT;
    }
    return words_of(config) == NULL ? ISOPOD_ERROR_BOUND : ISOPOD_OK;
}

static isopod_status check_cosines(const isopod_encryption_config *config) {
    if (config->layout == ISOPOD_COEFFICIENTS) {
        return ISOPOD_OK;
    }
    if (has_message64(config)) {
        return config->tables->cosine64 == NULL ? ISOPOD_ERROR_BOUND : ISOPOD_OK;
    }
    return config->tables->cosine32 == NULL ? ISOPOD_ERROR_TABLES : ISOPOD_OK;
}

ISOPOD_SMALL static isopod_status check(const isopod_encryption_config *config) {
    int bits = config->log2_scale + config->log2_bound;
    uint32_t level = isopod_encryption_level(config);
    if (config->params->plain != NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    if (config->log2_scale < config->params->log2_scale_min ||
        config->log2_scale > config->params->log2_scale_max) {
        return ISOPOD_ERROR_SCALE;
    }
    if (config->layout > ISOPOD_COEFFICIENTS) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (config->bound != 0 || config->log2_bound < LEAST_LOG2_BOUND ||
        config->log2_bound > MOST_LOG2_BOUND || bits < 0 || bits > 57 ||
        bits + 2 > (int)isopod_parameters_data_bits(config->params, level)) {
        return ISOPOD_ERROR_BOUND;
    }
    isopod_status status = check_encoder(config);
    return status == ISOPOD_OK ? check_cosines(config) : status;
}

ISOPOD_SMALL static isopod_status check_values(const isopod_encryption_config *config,
                                               const isopod_values *values) {
    isopod_values numbers = *values;
    numbers.count = form_of(config) == ISOPOD_MESSAGE_COMPLEX ? 2 * values->count : values->count;
    return isopod_values_check(&numbers, config->log2_bound);
}

ISOPOD_SMALL static isopod_message message(const isopod_encryption_config *config) {
    uint32_t n = isopod_encryption_ring_degree(config);
    uint8_t is_long = has_message64(config);
    isopod_message message = {.form = form_of(config), .word_bytes = is_long ? 8 : 4};
    message.capacity = message.form == ISOPOD_MESSAGE_COEFFICIENTS ? n : n / 2;
    message.bytes = message.form == ISOPOD_MESSAGE_SLOTS
                        ? ISOPOD_CKKS_MESSAGE_BYTES(n, is_long)
                        : ISOPOD_CKKS_FULL_MESSAGE_BYTES(n, is_long);
    return message;
}

ISOPOD_SMALL static void encode(const isopod_encryption_config *config, const isopod_values *values,
                                void *message, const isopod_dither_source *dither) {
    const void *cosine = has_message64(config) ? (const void *)config->tables->cosine64
                                               : (const void *)config->tables->cosine32;
    isopod_encoding encoding = {.log2_ring_degree = config->params->log2_ring_degree,
                                .log2_scale = config->log2_scale,
                                .log2_bound = config->log2_bound,
                                .filled = values->count,
                                .index_mask = UINT32_MAX,
                                .dither = encoder_of(config)->is_dithered ? dither : NULL};
    if (config->layout == ISOPOD_SLOTS_REPEATED || config->layout == ISOPOD_COMPLEX_REPEATED) {
        encoding.filled = isopod_encryption_ring_degree(config) / 2;
        encoding.index_mask = values->count - 1u;
    }
    words_of(config)->encode(message, cosine, values, &encoding);
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == config->log2_bound; */
static int32_t bound(const isopod_encryption_config *config) {
    return config->log2_bound;
}

/* Dithered layouts are those of slots with this bit. */
_Static_assert(ISOPOD_SLOTS_DITHERED == 8 && ISOPOD_COMPLEX_REPEATED_DITHERED == 8 + 3, "one bit");

static uint8_t layout(const isopod_encryption_config *config) {
    return config->layout | (encoder_of(config)->is_dithered ? ISOPOD_SLOTS_DITHERED : 0);
}

static void set_message(isopod_polynomial *polynomial, const isopod_encryption_config *config) {
    polynomial->load = words_of(config)->load;
}

static const struct isopod_scheme ckks = {.kind_public = ISOPOD_KIND_CKKS_PUBLIC,
                                          .kind_secret = ISOPOD_KIND_CKKS_SECRET,
                                          .check = check,
                                          .check_values = check_values,
                                          .message = message,
                                          .bound = bound,
                                          .shape = isopod_encryption_shape,
                                          .layout = layout,
                                          .encode = encode,
                                          .set_message = set_message};

ISOPOD_SMALL isopod_status isopod_ckks_begin(isopod_ckks *context, const isopod_ckks_config *config,
                                             const isopod_encryptor *encryptor,
                                             const isopod_values *values) {
    const struct isopod_encryption_input input = {.scheme = &ckks, .values = values};
    return isopod_encryption_begin(context, config, encryptor, &input);
}

isopod_status isopod_ckks_begin_from(isopod_ckks *context, const isopod_ckks_config *config,
                                     const isopod_encryptor *encryptor,
                                     const isopod_value_source *source) {
    return isopod_encryption_begin_from(context, config, encryptor, source, &ckks);
}
