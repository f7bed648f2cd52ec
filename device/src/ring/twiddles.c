#include "twiddles.h"

#include "../base/bit_reverse.h"
#include "montgomery.h"

void isopod_build_twiddles(isopod_limb *twiddles, const isopod_limb_prime *prime,
                           uint32_t log2_degree) {
    isopod_limb square = (isopod_limb)prime->montgomery_square;
    isopod_limb root = isopod_montgomery((isopod_limb)prime->root, square, prime);
    isopod_limb power = isopod_montgomery_one(prime);
    for (uint32_t i = 0; i < 1u << log2_degree; i++) {
        twiddles[isopod_bit_reverse(i, log2_degree)] = power;
        power = isopod_centred(isopod_montgomery(power, root, prime), prime);
    }
}
