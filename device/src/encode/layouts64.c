/* Complex slots and coefficients of up to 57 bits, as a configuration names them. */
#include "layouts.h"

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
#define REDUCE isopod_wide_reduce
#include "layouts_template.h"

const isopod_layout_width isopod_layouts64 = {encode_complex, encode_coefficients, load_complex,
                                              load_coefficients};

const isopod_layout_encoder isopod_wide_layouts = {&isopod_layouts32, &isopod_layouts64};
