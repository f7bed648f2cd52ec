/* The interface of an encoder: the fixed-point encoding of CKKS (spec/ckks.md, section 4) for one
 * layout, in one or both word sizes. Complex slots and coefficients are compiled from one source
 * (layouts_template.h) for 32-bit and for 64-bit words. */
#ifndef ISOPOD_SRC_ENCODER_H
#define ISOPOD_SRC_ENCODER_H

#include "isopod/encoder.h"
#include "encode.h"
#include "message.h"

/* An encoder in one word size. */
typedef struct {
    /* Writes the message in the packed form of the specification; the values were checked. */
    void (*encode)(void *message, const void *cosine, const isopod_values *values,
                   const isopod_encoding *encoding);
    /* isopod_polynomial.load modulo 32-bit primes; message.h has those modulo 64-bit primes. */
    void (*load)(const isopod_polynomial *polynomial, uint32_t first,
                 int32_t out[ISOPOD_FOLD_BLOCK]);
} isopod_encoder_words;

struct isopod_encoder {
    isopod_message_form form;
    uint8_t is_dithered;
    const isopod_encoder_words *words32;
    const isopod_encoder_words *words64; /* or NULL */
};

extern const isopod_encoder_words isopod_slots_words32, isopod_complex_words32,
    isopod_coefficients_words32;

#endif
