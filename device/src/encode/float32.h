/* A float as a fixed-point word, by integer operations only. */
#ifndef ISOPOD_FLOAT32_H
#define ISOPOD_FLOAT32_H

#include <stdint.h>

#include "../base/constant_time.h"

/* value * 2^fraction_bits rounded, for |value| * 2^fraction_bits <= 2^30: 24 magnitude bits, moved
 * up by 7 and then only down. Shifts by secret amounts take one cycle on every supported core. */
static inline int32_t isopod_float32_fixed(uint32_t bits, int32_t fraction_bits) {
    uint32_t biased = (bits >> 23) & 0xffu;
    uint32_t normal = isopod_ct_nonzero(biased);
    uint32_t magnitude = ((bits & 0x7fffffu) | (normal & 0x800000u)) << 7;
    uint32_t right = 156u - biased - normal -
                     (uint32_t)fraction_bits; /* a subnormal's exponent is that of biased = 1 */
    uint32_t lost = isopod_ct_negative((int32_t)(31u - right));
    right &= 31u;
    uint32_t shifted = ((magnitude + ((UINT32_C(1) << right) >> 1)) >> right) & ~lost;
    uint32_t sign = isopod_ct_negative((int32_t)bits);
    return (int32_t)((shifted ^ sign) - sign);
}

#endif
