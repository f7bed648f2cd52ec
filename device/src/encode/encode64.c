/* The encoder of real slots for 64-bit messages (spec/ckks.md, section 4): encode_template.h on
 * 64-bit words, |m| <= 2^57. */
#include "encode.h"

#include "../base/bit_reverse.h"
#include "../base/fixed64.h"
#include "values.h"

#define WORD int64_t
#define PRODUCT isopod_product64
#define FRACTION_BITS 62
#define VALUE isopod_value_fixed64
#define QUARTER isopod_quarter64
#define DOT isopod_dot64
#define ADD isopod_add64
#define FRACTION isopod_fraction64
#define ROUND isopod_round64
#define ENCODE isopod_encode64
#define ADD_MESSAGE isopod_message64_add
#include "encode_template.h"
