/* The table of BFV ([BRAKERSKI12], [FV12]; spec/bfv.md): integers modulo t. If t is below 2^26,
 * they share words with the noise e0. */
#include "isopod/bfv.h"

#include "../base/bit_reverse.h"
#include "../base/memory.h"
#include "../base/parameters.h"
#include "../base/constant_time.h"
#include "../encode/integers.h"
#include "../encode/values.h"
#include "../encrypt/method.h"
#include "../ring/inverse_ntt.h"
#include "../ring/power.h"
#include "integer_range.h"

/* Bounds that the noise never exceeds (spec/bfv.md, section 5). */
static uint64_t noise_bound(const isopod_encryption_config *config) {
    uint32_t log2_degree = config->params->log2_ring_degree;
    if (config->key->method->components == 1) {
        return 22;
    }
    return (uint64_t)((log2_degree & 1u) != 0 ? 73 : 51) << log2_degree / 2;
}

/* Whether q >= 2 * t * bound, which is below 2^46. */
static uint32_t has_room(const isopod_encryption_config *config) {
    uint64_t product = 1, least = 2 * noise_bound(config) * config->params->plain->modulus;
    for (uint32_t j = 0; j < isopod_encryption_level(config); j++) {
        if (product >> 34 != 0 || isopod_parameters_bits(config->params, j) > 46) {
            return 1; /* the product of both is above 2^46 */
        }
        product *= isopod_parameters_modulus(config->params, j);
    }
    return product >= least;
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == (config->layout != ISOPOD_COEFFICIENTS ? 1 : 0); */
static uint8_t has_slots(const isopod_encryption_config *config) {
    return config->layout != ISOPOD_COEFFICIENTS;
}

ISOPOD_SMALL static isopod_status check(const isopod_encryption_config *config) {
    if (config->params->plain == NULL) {
        return ISOPOD_ERROR_PARAMETERS;
    }
    isopod_status status = isopod_parameters_check_plain(config->params);
    if (status != ISOPOD_OK) {
        return status;
    }
    if (config->log2_scale != 0 || config->log2_bound != 0) {
        return ISOPOD_ERROR_SCALE;
    }
    if (config->bound > config->params->plain->modulus / 2u) {
        return ISOPOD_ERROR_BOUND;
    }
    if (config->layout != ISOPOD_SLOTS && config->layout != ISOPOD_SLOTS_REPEATED &&
        config->layout != ISOPOD_COEFFICIENTS) {
        return ISOPOD_ERROR_LAYOUT;
    }
    if (has_slots(config) && config->tables->plain == NULL) {
        return ISOPOD_ERROR_TABLES;
    }
    return has_room(config) ? ISOPOD_OK : ISOPOD_ERROR_LEVEL;
}

/*@ requires \valid_read(config) && \valid_read(config->params);
    requires \valid_read(config->params->plain);
    requires config->bound <= 0x7fffffff;
    assigns \nothing;
    ensures \result == (config->bound != 0 ? config->bound : config->params->plain->modulus / 2); */
static int32_t bound(const isopod_encryption_config *config) {
    return (int32_t)(config->bound != 0 ? config->bound : config->params->plain->modulus / 2u);
}

/*@ requires \valid_read(config);
    assigns \nothing;
    ensures \result == config->layout; */
static uint8_t layout(const isopod_encryption_config *config) {
    return config->layout;
}

static isopod_status check_values(const isopod_encryption_config *config,
                                  const isopod_values *values) {
    return isopod_integers_check(values, (uint32_t)bound(config));
}

ISOPOD_FRAME_APART static int32_t read_integer(const isopod_values *values, uint32_t index) {
    isopod_value_reader *reader = (isopod_value_reader *)(uintptr_t)values->data;
    isopod_decomposed value = reader->at(reader, index);
    uint32_t sign = isopod_ct_barrier(0u - value.sign);
    return (int32_t)(((uint32_t)value.magnitude ^ sign) - sign);
}

/* Values of all types serve as residues as they are: |value| <= t/2. */
static int32_t value_at(const isopod_encryption_config *config, const isopod_values *values,
                        uint32_t slot) {
    uint32_t index = config->layout == ISOPOD_SLOTS_REPEATED ? slot & (values->count - 1u) : slot;
    return index < values->count ? ((const int32_t *)values->data)[index] : 0;
}

/* Places slot j of the first row at brv((3^j - 1)/2), that of the second row to the complement. */
static void load_slots(int32_t *message, const isopod_encryption_config *config,
                       const isopod_values *values) {
    uint32_t n = isopod_encryption_ring_degree(config), power = 1;
    for (uint32_t j = 0; j < n / 2; j++, power = 3 * power & (2 * n - 1)) {
        uint32_t at = isopod_bit_reverse(power >> 1, config->params->log2_ring_degree);
        message[at] = value_at(config, values, j);
        message[n - 1 - at] = value_at(config, values, j + n / 2);
    }
}

/* load_slots from a reader, one row after the other: 3^(n/2) = 1. */
ISOPOD_FRAME_APART static void read_slots(int32_t *message, const isopod_encryption_config *config,
                                          const isopod_values *values) {
    uint32_t n = isopod_encryption_ring_degree(config), power = 1;
    uint32_t last = config->layout == ISOPOD_SLOTS_REPEATED ? values->count - 1u : n - 1u;
    for (uint32_t j = 0; j < n; j++, power = 3 * power & (2 * n - 1)) {
        uint32_t at = isopod_bit_reverse(power >> 1, config->params->log2_ring_degree);
        message[j < n / 2 ? at : n - 1 - at] =
            (j & last) < values->count ? read_integer(values, j & last) : 0;
    }
}

ISOPOD_FRAME_APART static void read_coefficients(int32_t *message, const isopod_values *values) {
    for (uint32_t i = 0; i < values->count; i++) {
        message[i] = read_integer(values, i);
    }
}

/* Data prime number `index`, or that prime modulo t if it is not below 2^30. */
static uint32_t modulus_in(const isopod_encryption_config *config, uint32_t index) {
    uint64_t modulus = isopod_parameters_modulus(config->params, index);
    return (uint32_t)(modulus >> 30 != 0 ? modulus % config->params->plain->modulus : modulus);
}

/* q mod t in Montgomery form, |result| < t. */
static int32_t remainder_of(const isopod_encryption_config *config) {
    const isopod_prime *plain = config->params->plain;
    int32_t remainder = isopod_montgomery_one(plain);
    for (uint32_t j = 0; j < isopod_encryption_level(config); j++) {
        int32_t factor = isopod_to_montgomery(modulus_in(config, j), plain);
        remainder = isopod_montgomery(remainder, factor, plain);
    }
    return remainder;
}

static void encode_slots(int32_t *message, const isopod_encryption_config *config,
                         const isopod_values *values) {
    const isopod_prime *plain = config->params->plain;
    isopod_ntt ntt = {.prime = plain,
                      .twiddles = config->tables->plain,
                      .length = isopod_encryption_ring_degree(config),
                      .chunks = 1};
    int32_t factor =
        isopod_montgomery(remainder_of(config), isopod_inverse_ntt_factor(&ntt), plain);
    (values->type == ISOPOD_VALUES_READ ? read_slots : load_slots)(message, config, values);
    isopod_inverse_ntt(message, &ntt, isopod_centred(factor, plain));
}

static void encode_coefficients(int32_t *message, const isopod_encryption_config *config,
                                const isopod_values *values) {
    const isopod_prime *plain = config->params->plain;
    int32_t factor = isopod_centred(remainder_of(config), plain);
    uint32_t n = isopod_encryption_ring_degree(config), count = values->count;
    const int32_t *from = values->data;
    if (values->type == ISOPOD_VALUES_READ) {
        read_coefficients(message, values);
        from = message;
    }
    for (uint32_t i = 0; i < count; i++) {
        message[i] = isopod_montgomery(from[i], factor, plain);
    }
    isopod_wipe(message + count, (size_t)4 * (n - count));
}

static void encode(const isopod_encryption_config *config, const isopod_values *values,
                   void *message, const isopod_dither_source *dither) {
    (void)dither;
    (has_slots(config) ? encode_slots : encode_coefficients)(message, config, values);
    isopod_centre_integers(message, isopod_encryption_ring_degree(config), config->params->plain);
}

ISOPOD_SMALL static isopod_message message(const isopod_encryption_config *config) {
    uint32_t n = isopod_encryption_ring_degree(config), t = config->params->plain->modulus;
    uint8_t is_apart = ISOPOD_BFV_APART(t, config->chunks, config->fault_check != NULL);
    isopod_message message = {.form = ISOPOD_MESSAGE_INTEGERS,
                              .word_bytes = 4,
                              .holds_noise = !is_apart,
                              .capacity = n,
                              .divisor = t,
                              .bytes = ISOPOD_BFV_MESSAGE_BYTES(n, is_apart)};
    return message;
}

/* Adds the noise: v + t*e stands for v * t^-1 + e and is below 21.5 * 2^26. */
static void add_noise(const isopod_encryption_config *config, void *message, const int8_t *error) {
    isopod_add_to_integers(message, error, isopod_encryption_ring_degree(config),
                           (int32_t)config->params->plain->modulus);
}

/* t^-1 in Montgomery form, as t^(q-2). */
static void set_message(isopod_polynomial *polynomial, const isopod_encryption_config *config) {
    const isopod_prime *prime = polynomial->prime;
    int32_t plain = isopod_to_montgomery(config->params->plain->modulus, prime);
    polynomial->load = isopod_load_integers;
    polynomial->factor =
        isopod_centred(isopod_montgomery_power(plain, prime->modulus - 2u, prime), prime);
}

static const struct isopod_scheme bfv = {.kind_public = ISOPOD_KIND_BFV_PUBLIC,
                                         .kind_secret = ISOPOD_KIND_BFV_SECRET,
                                         .check = check,
                                         .check_values = check_values,
                                         .message = message,
                                         .bound = bound,
                                         .shape = isopod_encryption_shape,
                                         .layout = layout,
                                         .encode = encode,
                                         .add_noise = add_noise,
                                         .set_message = set_message};

ISOPOD_SMALL isopod_status isopod_bfv_begin(isopod_bfv *context, const isopod_bfv_config *config,
                                            const isopod_encryptor *encryptor,
                                            const isopod_values *values) {
    const struct isopod_encryption_input input = {.scheme = &bfv, .values = values};
    return isopod_encryption_begin(context, config, encryptor, &input);
}

isopod_status isopod_bfv_begin_from(isopod_bfv *context, const isopod_bfv_config *config,
                                    const isopod_encryptor *encryptor,
                                    const isopod_value_source *source) {
    return isopod_encryption_begin_from(context, config, encryptor, source, &bfv);
}
