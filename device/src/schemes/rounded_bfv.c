/* Rounded coefficients of BFV (spec/bfv.md, section 3): the integer next to q * p / t. */
#include "isopod/bfv.h"

#include "../base/constant_time.h"
#include "../base/parameters.h"
#include "../encrypt/rounded.h"
#include "../ring/montgomery.h"
#include "integer_range.h"

/* Bounds of the noise of one encryption (spec/bfv.md, section 5; spec/coefficients.md, section
 * 3). */
#define SECRET_NOISE 22u

static uint64_t noise_bound(const isopod_encryption_config *config) {
    const uint8_t *dropped = config->rounding->dropped;
    uint32_t half = (config->params->log2_ring_degree + 1u) / 2u;
    uint64_t bound = (uint64_t)1 << dropped[0] >> 1;
    if (config->rounding->method->components == 1) {
        return bound + SECRET_NOISE;
    }
    if (dropped[1] > 40u) {
        return UINT64_MAX; /* beyond every modulus */
    }
    if (dropped[1] != 0) {
        bound += (uint64_t)1 << (dropped[1] + 2u + half);
    }
    return bound + ((config->params->log2_ring_degree & 1u) != 0 ? (uint64_t)73 << (half - 1u)
                                                                 : (uint64_t)51 << half);
}

static isopod_status check(const isopod_encryption_config *config) {
    const isopod_prime *plain = config->params->plain;
    if (plain == NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    isopod_status status = isopod_parameters_check_plain(config->params);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (config->log2_scale != 0 || config->log2_bound != 0) {
        return ISOPOD_ERROR_SCALE;
    }
    if (config->bound > plain->modulus / 2u) {
        return ISOPOD_ERROR_BOUND;
    }
    uint64_t room = isopod_rounded_modulus(config) / (2u * (uint64_t)plain->modulus);
    return room < noise_bound(config) ? ISOPOD_ERROR_LEVEL : ISOPOD_OK;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == config->layout; */
static uint8_t layout(const isopod_encryption_config *config) {
    return config->layout;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires \valid_read(config->params->plain);
    requires config->bound <= 0x7fffffff;
    assigns \nothing;
    ensures \result == (config->bound != 0 ? config->bound : config->params->plain->modulus / 2); */
static int32_t bound(const isopod_encryption_config *config) {
    return (int32_t)(config->bound != 0 ? config->bound : config->params->plain->modulus / 2u);
}

static isopod_status check_values(const isopod_encryption_config *config, int8_t log2_unit,
                                  const isopod_values *values) {
    uint32_t most = (uint32_t)bound(config);
    if (log2_unit != 0) {
        return ISOPOD_ERROR_BOUND;
    }
    if (values->type == ISOPOD_VALUES_INT16) {
        return isopod_int16_check(values, most < 0x8000u ? most : 0x8000u);
    }
    return isopod_integers_check(values, most);
}

/* Rounds p * q / t to the next integer: p * floor(q/t) + floor((r*p + h) / t), r = q mod t, h =
 * (t+1)/2. The second quotient is below t. After the remainder is taken away, it is the exact
 * quotient modulo 2^32. */
static int64_t message(const isopod_rounded *context, const isopod_values *values, uint32_t index) {
    const isopod_prime *plain = context->encryption.config->params->plain;
    const isopod_rounded_state *state = isopod_rounded_state_of(context);
    int32_t wide;
    const isopod_values one = isopod_widened(values, &index, &wide);
    int32_t value = ((const int32_t *)one.data)[index];
    uint32_t p = (uint32_t)value + (plain->modulus & isopod_ct_negative(value));
    uint64_t scaled = (uint64_t)state->remainder * p + (plain->modulus + 1u) / 2u;
    int32_t reduced = isopod_redc((int64_t)scaled, plain);
    reduced = isopod_montgomery(reduced, (int32_t)plain->montgomery_square, plain);
    uint32_t rest = (uint32_t)scaled - isopod_canonical(reduced, plain);
    int64_t whole =
        (int64_t)(p * state->factor + (uint32_t)(rest * (0u - plain->negative_inverse)));
    int64_t above = (int64_t)(state->modulus / 2u) - whole;
    return whole -
           (int64_t)(state->modulus & isopod_ct_mask64(isopod_ct_negative((int32_t)(above >> 32))));
}

static void messages(const isopod_rounded *context, const isopod_values *values, uint32_t first,
                     uint32_t count, int64_t *out) {
    for (uint32_t i = 0; i < count; i++) {
        out[i] = message(context, values, first + i);
    }
}

static const struct isopod_rounded_scheme rounded_bfv = {
    .scheme = {.kind_public = ISOPOD_KIND_BFV_PUBLIC,
               .kind_secret = ISOPOD_KIND_BFV_SECRET,
               .check = check,
               .bound = bound,
               .shape = isopod_rounded_shape,
               .layout = layout},
    .check_values = check_values,
    .messages = messages};

isopod_status isopod_bfv_rounded_begin(isopod_rounded *context,
                                       const isopod_encryption_config *config,
                                       const isopod_encryptor *encryptor,
                                       const isopod_value_source *source) {
    return isopod_rounded_begin(context, config, encryptor, source, &rounded_bfv);
}
