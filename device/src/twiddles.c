#include "twiddles.h"

#include "bit_reverse.h"

static uint32_t multiply(uint32_t a, uint32_t b, uint32_t modulus) {
    return (uint32_t)((uint64_t)a * b % modulus);
}

void isopod_build_twiddles(int32_t *twiddles, const isopod_prime *prime, uint32_t log2_degree) {
    uint32_t power = (0u - prime->modulus) % prime->modulus; /* 2^32 mod q */
    for (uint32_t i = 0; i < 1u << log2_degree; i++) {
        int32_t centred =
            power > prime->modulus / 2 ? (int32_t)(power - prime->modulus) : (int32_t)power;
        twiddles[isopod_bit_reverse(i, log2_degree)] = centred;
        power = multiply(power, prime->root, prime->modulus);
    }
}
