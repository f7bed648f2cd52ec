/* The 64-bit encoder as a configuration names it: messages of up to 57 bits. */
#include "encode.h"
#include "montgomery.h"

/* |value| < 2^58 modulo q, |result| < 1.3 q: value = high * 2^32 + low with signed low. */
static int32_t reduce_wide(int64_t value, const isopod_prime *prime) {
    int32_t low = (int32_t)(uint32_t)value;
    int32_t high = (int32_t)((value - low) >> 32);
    int32_t scaled = isopod_montgomery(high, (int32_t)prime->montgomery_square, prime);
    return scaled + isopod_reduce(low, prime);
}

static void load(const isopod_polynomial *polynomial, uint32_t first,
                 int32_t out[ISOPOD_FOLD_BLOCK]) {
    int64_t wide[ISOPOD_FOLD_BLOCK] = {0};
    isopod_message64_add(polynomial->words, polynomial->n, first, wide);
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += reduce_wide(wide[i], polynomial->prime);
    }
}

const isopod_wide_encoder isopod_wide = {isopod_encode64, load};
