/* The decoder of real slots in 64-bit words (spec/decryption.md, section 2), from D_k in two
 * halves, |D_k| <= 2^60. Constant time. */
#include "decode.h"

#include "../../base/bit_reverse.h"
#include "../../base/fixed64.h"
#include "../../base/memory.h"

static inline int64_t folded_word(const int32_t *folded, uint32_t n, uint32_t k) {
    int32_t upper = folded[k == 0 ? n / 2 : n - k];
    //@ split upper < 0;
    return (int64_t)((uint64_t)(uint32_t)upper << 32 | (uint32_t)folded[k]);
}

#define WORD int64_t
#define BOUND_BITS ISOPOD_DECODE64_BITS
#define FOLDED(folded, n, k) folded_word(folded, n, k)
#define FOLDED_WORD int32_t
#define QUARTER isopod_quarter64
#define DOT isopod_dot64
#define FRACTION isopod_fraction64
#define DECODE isopod_decode64
#include "decode_template.h"
