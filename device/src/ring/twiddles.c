/* Twiddles by repeated multiplication (spec/ckks.md, section 5), centred. Public. */
#include "twiddles.h"

#include "../base/bit_reverse.h"
#include "montgomery.h"

void isopod_build_twiddles(isopod_word *twiddles, const isopod_word_prime *prime,
                           uint32_t log2_degree) {
    isopod_word square = (isopod_word)prime->montgomery_square;
    isopod_word root = isopod_montgomery((isopod_word)prime->root, square, prime);
    isopod_word power = isopod_montgomery_one(prime);
    for (uint32_t i = 0; i < UINT32_C(1) << log2_degree; i++) {
        twiddles[isopod_bit_reverse(i, log2_degree)] = power;
        power = isopod_centred(isopod_montgomery(power, root, prime), prime);
    }
}
