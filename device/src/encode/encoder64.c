/* The 64-bit encoder as a configuration names it: messages of up to 57 bits. */
#include "encode.h"
#include "../ring/reduce64.h"

static void load(const isopod_polynomial *polynomial, uint32_t first,
                 int32_t out[ISOPOD_FOLD_BLOCK]) {
    int64_t wide[ISOPOD_FOLD_BLOCK] = {0};
    isopod_message64_add(polynomial->words, polynomial->n, first, wide);
    isopod_load_error(polynomial, first, out);
    for (uint32_t i = 0; i < ISOPOD_FOLD_BLOCK; i++) {
        out[i] += isopod_wide_reduce(wide[i], polynomial->prime);
    }
}

const isopod_wide_encoder isopod_wide = {isopod_encode64, load};
