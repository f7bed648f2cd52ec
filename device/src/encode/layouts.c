/* Complex slots and coefficients of up to 30 bits, as a configuration names them. */
#include "layouts.h"

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

const isopod_layout_width isopod_layouts32 = {encode_complex, encode_coefficients, load_complex,
                                              load_coefficients};

const isopod_layout_encoder isopod_layouts = {&isopod_layouts32, NULL};
