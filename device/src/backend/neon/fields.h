/* Permutations between four lanes and four bit fields of an even width, 16 to 30 bits, which fill
 * bits/2 bytes. */
#ifndef ISOPOD_NEON_FIELDS_H
#define ISOPOD_NEON_FIELDS_H

#include <arm_neon.h>
#include <stdint.h>

/* Bytes of `table` by index; zero for an index of 255. */
static inline __attribute__((always_inline)) uint8x16_t isopod_lookup(uint8x16_t table,
                                                                      uint8x16_t index) {
#if defined(__aarch64__)
    return vqtbl1q_u8(table, index);
#else
    const uint8x8x2_t halves = {{vget_low_u8(table), vget_high_u8(table)}};
    return vcombine_u8(vtbl2_u8(halves, vget_low_u8(index)), vtbl2_u8(halves, vget_high_u8(index)));
#endif
}

#endif
