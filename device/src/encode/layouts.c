/* The encoders of complex slots and of coefficients for 32-bit messages, as a configuration names
 * them. */
#include "encoder.h"

#include <stddef.h>

#include "../base/bit_reverse.h"
#include "fixed32.h"
#include "../ring/montgomery.h"
#include "values.h"

#define WORD int32_t
#define PRODUCT isopod_product32
#define FRACTION_BITS 30
#define VALUE isopod_value_fixed32
#define QUARTER isopod_quarter32
#define DOT isopod_dot32
#define ADD isopod_add32
#define ROUND isopod_round32
#define REDUCE isopod_reduce
#include "layouts_template.h"

const isopod_encoder_words isopod_complex_words32 = {.encode = encode_complex,
                                                     .load = load_complex};
const isopod_encoder_words isopod_coefficients_words32 = {.encode = encode_coefficients,
                                                          .load = load_coefficients};

const isopod_encoder isopod_encoder_complex32 = {.form = ISOPOD_MESSAGE_COMPLEX,
                                                 .is_dithered = 1,
                                                 .words32 = &isopod_complex_words32,
                                                 .words64 = NULL};
const isopod_encoder isopod_encoder_complex32_nearest = {
    .form = ISOPOD_MESSAGE_COMPLEX, .words32 = &isopod_complex_words32, .words64 = NULL};
const isopod_encoder isopod_encoder_coefficients32 = {
    .form = ISOPOD_MESSAGE_COEFFICIENTS, .words32 = &isopod_coefficients_words32, .words64 = NULL};
