/* The interface of a scheme: the steps of encryption before the noise. CKKS and BFV have one table
 * each in schemes/. */
#ifndef ISOPOD_SCHEME_H
#define ISOPOD_SCHEME_H

#include "isopod/encryption.h"
#include "../encode/dither.h"
#include "../encode/message.h"
#include "part_header.h"

struct isopod_scheme {
    uint8_t kind_public; /* the kinds of frames */
    uint8_t kind_secret;
    /* Checks the set's scheme, scale, bound, layout, encoder and its tables; label, key and level
     * are valid. */
    isopod_status (*check)(const isopod_encryption_config *config);
    /* Checks the values' type and range; their number is valid. */
    isopod_status (*check_values)(const isopod_encryption_config *config,
                                  const isopod_values *values);
    isopod_message (*message)(const isopod_encryption_config *config);
    /* The frame's field `bound`. */
    int32_t (*bound)(const isopod_encryption_config *config);
    /* The shape of part 0: isopod_encryption_shape, or isopod_rounded_shape. */
    isopod_part_shape (*shape)(const isopod_encryption *context);
    /* The frame's field `layout`. */
    uint8_t (*layout)(const isopod_encryption_config *config);
    /* Encodes the message. */
    void (*encode)(const isopod_encryption_config *config, const isopod_values *values,
                   void *message, const isopod_dither_source *dither);
    /* Adds n errors to the message; only where it holds the noise. */
    void (*add_noise)(const isopod_encryption_config *config, void *message, const int8_t *error);
    /* Sets `load` and `factor` of the polynomial for the message modulo polynomial->prime, in
     * 32-bit words; isopod64_set_message does so in 64-bit words. */
    void (*set_message)(isopod_polynomial *polynomial, const isopod_encryption_config *config);
};

/* The scheme and the values of an encryption: an array or, where `reader` is not NULL, one by one.
 */
struct isopod_encryption_input {
    const struct isopod_scheme *scheme;
    const isopod_values *values;
    struct isopod_checked_reader *reader;
    int8_t log2_unit;
};

/* Begins by the configuration's rule for values out of range. */
isopod_status isopod_encryption_begin(isopod_encryption *context,
                                      const isopod_encryption_config *config,
                                      const isopod_encryptor *encryptor,
                                      const struct isopod_encryption_input *input);

isopod_status isopod_encryption_begin_input(isopod_encryption *context,
                                            const isopod_encryption_config *config,
                                            const isopod_encryptor *encryptor,
                                            const struct isopod_encryption_input *input);

/* Checks the values of a source one by one while they are encoded. */
isopod_status isopod_encryption_begin_from(isopod_encryption *context,
                                           const isopod_encryption_config *config,
                                           const isopod_encryptor *encryptor,
                                           const isopod_value_source *source,
                                           const struct isopod_scheme *scheme);

/* A rule for values out of range begins in place of isopod_encryption_begin_input. */
struct isopod_range_rule {
    isopod_status (*begin)(isopod_encryption *context, const isopod_encryption_config *config,
                           const isopod_encryptor *encryptor,
                           const struct isopod_encryption_input *input);
};

/* The shape of part 0 of slots, without its bytes. */
isopod_part_shape isopod_encryption_shape(const isopod_encryption *context);
uint32_t isopod_encryption_ring_degree(const isopod_encryption_config *config);
/* The number of primes. */
uint8_t isopod_encryption_level(const isopod_encryption_config *config);

#endif
