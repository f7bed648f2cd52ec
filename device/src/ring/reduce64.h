/* 64-bit words of a message modulo a prime. */
#ifndef ISOPOD64_REDUCE_H
#define ISOPOD64_REDUCE_H

#include "montgomery.h"

/* |value| < 2^58 modulo q, |result| < 1.3 q: value = high * 2^32 + low with signed low. */
static inline int32_t isopod64_reduce(int64_t value, const isopod_prime *prime) {
    int32_t low = (int32_t)(uint32_t)value;
    int32_t high = (int32_t)((value - low) >> 32);
    int32_t scaled = isopod_montgomery(high, (int32_t)prime->montgomery_square, prime);
    return scaled + isopod_reduce(low, prime);
}

#endif
