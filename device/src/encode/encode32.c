#include "encode.h"

#include "../base/bit_reverse.h"
#include "fixed32.h"
#include "values.h"

#define WORD int32_t
#define PRODUCT isopod_product32
#define FRACTION_BITS 30
#define VALUE isopod_value_fixed32
#define QUARTER isopod_quarter32
#define DOT isopod_dot32
#define ADD isopod_add32
#define FRACTION isopod_fraction32
#define ROUND isopod_round32
#define ENCODE isopod_encode32
#define ADD_MESSAGE isopod_message32_add
#include "encode_template.h"
