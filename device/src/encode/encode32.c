/* The encoder of real slots for 32-bit messages (spec/ckks.md, section 4): encode_template.h on
 * 32-bit words, |m| <= 2^30. */
#include "encode.h"

#include "../base/bit_reverse.h"
#include "fixed32.h"
#include "values.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(ENCODE32)
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
#if ISOPOD_TAKES(ENCODE32)
#define NATIVE_ENCODE isopod_native_encode32
#endif
#define ADD_MESSAGE isopod_message32_add
#include "encode_template.h"
#endif
