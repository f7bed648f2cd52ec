/* The decoder of real slots in 64-bit words (spec/decryption.md, section 2), from D_k in one word,
 * |D_k| <= 2^60. Constant time. */
#include "decode.h"

#include "../../base/bit_reverse.h"
#include "../../base/fixed64.h"
#include "../../base/memory.h"

#define WORD int64_t
#define BOUND_BITS ISOPOD_DECODE64_BITS
#define FOLDED(folded, n, k) ((void)(n), (folded)[k])
#define FOLDED_WORD const int64_t
#define QUARTER isopod_quarter64
#define DOT isopod_dot64
#define FRACTION isopod_fraction64
#define DECODE isopod_decode64_whole
#include "decode_template.h"
