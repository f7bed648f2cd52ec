/* Bit reversal of indices. */
#ifndef ISOPOD_BIT_REVERSE_H
#define ISOPOD_BIT_REVERSE_H

#include <stdint.h>

/* Reverses the lowest `bits` bits of value (1 to 32). All other bits of value must be zero. */
/*@ requires 1 <= bits <= 32;
    assigns \nothing; */
static inline uint32_t isopod_bit_reverse(uint32_t value, uint32_t bits) {
#ifdef __ARM_FEATURE_MVE
    __asm__("rbit %0, %0" : "+r"(value));
    return value >> (32 - bits);
#else
    value = (value >> 1 & 0x55555555u) | (value & 0x55555555u) << 1;
    value = (value >> 2 & 0x33333333u) | (value & 0x33333333u) << 2;
    value = (value >> 4 & 0x0f0f0f0fu) | (value & 0x0f0f0f0fu) << 4;
    value = (value >> 8 & 0x00ff00ffu) | (value & 0x00ff00ffu) << 8;
    return (value >> 16 | value << 16) >> (32 - bits);
#endif
}

#endif
