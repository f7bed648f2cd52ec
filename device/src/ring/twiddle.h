/* Twiddles by index, from full or lean tables. */
#ifndef ISOPOD_TWIDDLE_H
#define ISOPOD_TWIDDLE_H

#include <stddef.h>

#include "montgomery.h"
#include "ntt.h"

/* Twiddle `index`; in lean tables a product of one twiddle each for its upper and lower bits. */
static inline isopod_word isopod_twiddle(const isopod_ntt *ntt, uint32_t index) {
    if (ntt->coarse == NULL || index < ISOPOD_LEAN_TWIDDLES) {
        return ntt->twiddles[index];
    }
    isopod_word fine = ntt->twiddles[index % ISOPOD_LEAN_TWIDDLES];
    isopod_word coarse = ntt->coarse[index / ISOPOD_LEAN_TWIDDLES];
    return isopod_centred(isopod_montgomery(fine, coarse, ntt->prime), ntt->prime);
}

#endif
