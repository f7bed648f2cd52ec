#include "isopod/ckks.h"

#include <stddef.h>

#include "../encode/encode.h"
#include "../encode/layouts.h"
#include "../encrypt/method.h"
#include "../base/parameters.h"

static uint8_t is_of_layout_encoder(const isopod_encryption_config *config) {
    return config->layout >= ISOPOD_COMPLEX;
}

static uint8_t is_complex(const isopod_encryption_config *config) {
    return config->layout == ISOPOD_COMPLEX || config->layout == ISOPOD_COMPLEX_REPEATED;
}

/* The encoder of layouts for the width that the configuration asks for; NULL if it is not named. */
static const isopod_layout_width *layout_width(const isopod_encryption_config *config) {
    if (config->layouts == NULL) {
        return NULL;
    }
    return isopod_encryption_is_wide(config) ? config->layouts->wide : config->layouts->narrow;
}

static isopod_status check_encoders(const isopod_encryption_config *config) {
    uint8_t wide = isopod_encryption_is_wide(config);
    if (is_of_layout_encoder(config)) {
        return layout_width(config) == NULL ? ISOPOD_ERROR_LAYOUT : ISOPOD_OK;
    }
    return wide && config->wide == NULL ? ISOPOD_ERROR_BOUND : ISOPOD_OK;
}

static isopod_status check_cosines(const isopod_encryption_config *config) {
    if (config->layout == ISOPOD_COEFFICIENTS) {
        return ISOPOD_OK;
    }
    if (isopod_encryption_is_wide(config)) {
        return config->tables->cosine64 == NULL ? ISOPOD_ERROR_BOUND : ISOPOD_OK;
    }
    return config->tables->cosine32 == NULL ? ISOPOD_ERROR_TABLES : ISOPOD_OK;
}

static isopod_status check(const isopod_encryption_config *config) {
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
    if (bits < 0 || bits > 57 ||
        bits + 2 > (int)isopod_parameters_data_bits(config->params, level)) {
        return ISOPOD_ERROR_BOUND;
    }
    isopod_status status = check_encoders(config);
    return status == ISOPOD_OK ? check_cosines(config) : status;
}

static isopod_status check_values(const isopod_encryption_config *config,
                                  const isopod_values *values) {
    isopod_values numbers = *values;
    numbers.count = is_complex(config) ? 2 * values->count : values->count;
    return isopod_values_check(&numbers, config->log2_bound);
}

static void encode_layout(const isopod_encryption_config *config, const isopod_values *values,
                          const isopod_encoding *encoding) {
    const isopod_layout_width *width = layout_width(config);
    const void *cosine = isopod_encryption_is_wide(config) ? (const void *)config->tables->cosine64
                                                           : (const void *)config->tables->cosine32;
    if (is_complex(config)) {
        width->encode_complex(config->workspace, cosine, values, encoding);
    } else {
        width->encode_coefficients(config->workspace, values, encoding);
    }
}

static void encode(const isopod_encryption_config *config, const isopod_values *values) {
    uint32_t repeats =
        config->layout == ISOPOD_SLOTS_REPEATED || config->layout == ISOPOD_COMPLEX_REPEATED;
    isopod_encoding encoding = {config->params->log2_ring_degree, config->log2_scale,
                                config->log2_bound, values->count, UINT32_MAX};
    if (repeats) {
        encoding.filled = isopod_encryption_ring_degree(config) / 2;
        encoding.index_mask = values->count - 1u;
    }
    if (is_of_layout_encoder(config)) {
        encode_layout(config, values, &encoding);
    } else if (isopod_encryption_is_wide(config)) {
        config->wide->encode(config->workspace, config->tables->cosine64, values, &encoding);
    } else {
        isopod_encode32(config->workspace, config->tables->cosine32, values, &encoding);
    }
}

static void set_message(isopod_polynomial *message, const isopod_encryption_config *config) {
    if (is_of_layout_encoder(config)) {
        const isopod_layout_width *width = layout_width(config);
        message->load = is_complex(config) ? width->load_complex : width->load_coefficients;
    } else {
        message->load =
            isopod_encryption_is_wide(config) ? config->wide->load : isopod_load_message32;
    }
}

static const struct isopod_scheme ckks = {0, check, check_values, encode, NULL, set_message};

isopod_status isopod_ckks_begin(isopod_ckks *context, const isopod_ckks_config *config,
                                const isopod_values *values) {
    return isopod_encryption_begin(context, config, values, &ckks);
}
