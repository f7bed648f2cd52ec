/* The encoders of complex slots and of coefficients for 64-bit messages, as a configuration names
 * them. */
#include "encoder.h"

#include <stddef.h>

#include "../base/bit_reverse.h"
#include "../base/fixed64.h"
#include "values.h"
#include "../ring/reduce64.h"

#define WORD int64_t
#define PRODUCT isopod_product64
#define FRACTION_BITS 62
#define VALUE isopod_value_fixed64
#define QUARTER isopod_quarter64
#define DOT isopod_dot64
#define ADD isopod_add64
#define ROUND isopod_round64
#define REDUCE isopod64_reduce
#include "layouts_template.h"

static const isopod_encoder_words complex_words64 = {.encode = encode_complex,
                                                     .load = load_complex};
static const isopod_encoder_words coefficients_words64 = {.encode = encode_coefficients,
                                                          .load = load_coefficients};

const isopod_encoder isopod_encoder_complex64 = {.form = ISOPOD_MESSAGE_COMPLEX,
                                                 .is_dithered = 1,
                                                 .words32 = &isopod_complex_words32,
                                                 .words64 = &complex_words64};
const isopod_encoder isopod_encoder_complex64_nearest = {.form = ISOPOD_MESSAGE_COMPLEX,
                                                         .words32 = &isopod_complex_words32,
                                                         .words64 = &complex_words64};
const isopod_encoder isopod_encoder_coefficients64 = {.form = ISOPOD_MESSAGE_COEFFICIENTS,
                                                      .words32 = &isopod_coefficients_words32,
                                                      .words64 = &coefficients_words64};
