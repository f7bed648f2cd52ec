/* Twiddles by index, from full or lean tables. */
#ifndef ISOPOD_TWIDDLE_H
#define ISOPOD_TWIDDLE_H

#include <stddef.h>

#include "montgomery.h"
#include "ntt.h"

/* From -q < value < q to (-q/2, q/2]. Public. */
static inline int32_t isopod_centred(int32_t value, const isopod_prime *prime) {
    int32_t modulus = (int32_t)prime->modulus, half = modulus / 2;
    value = value > half ? value - modulus : value;
    return value < -half ? value + modulus : value;
}

/* Twiddle `index`, whose upper and lower bits are powers of psi of their own. */
static inline int32_t isopod_twiddle(const isopod_ntt *ntt, uint32_t index) {
    if (ntt->coarse == NULL || index < ISOPOD_LEAN_TWIDDLES) {
        return ntt->twiddles[index];
    }
    int32_t fine = ntt->twiddles[index % ISOPOD_LEAN_TWIDDLES];
    int32_t coarse = ntt->coarse[index / ISOPOD_LEAN_TWIDDLES];
    return isopod_centred(isopod_montgomery(fine, coarse, ntt->prime), ntt->prime);
}

#endif
