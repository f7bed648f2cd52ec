/* Symbols of a ternary key as signed numbers of two bits, 16 in a word (spec/packet.md, section 8).
 * Constant time: places are public, symbols are operands only. */
#ifndef ISOPOD_PACKET_SYMBOLS_H
#define ISOPOD_PACKET_SYMBOLS_H

#include "../packet.h"

#define ISOPOD_SYMBOLS 16u /* in a word */
#define ISOPOD_LOW_BITS 0x55555555u

/* The low bits of the first `count` symbols, at most all of them. */
static inline uint32_t isopod_symbols_below(int32_t count) {
    if (count <= 0) {
        return 0;
    }
    return count >= (int32_t)ISOPOD_SYMBOLS
               ? ISOPOD_LOW_BITS
               : ISOPOD_LOW_BITS & ((UINT32_C(1) << (2u * (uint32_t)count)) - 1u);
}

/* The coefficients that multiply elements `at` .. at + 15 in the sum of place j, the one of element
 * `at` last: those of s, whose index wraps around n with a change of sign. */
static inline uint32_t isopod_symbols_of(const isopod_packet_place *place, uint32_t at,
                                         uint32_t j) {
    uint32_t last = at + ISOPOD_SYMBOLS - 1u, first = (j - last) & (place->n - 1u);
    uint32_t word = first / ISOPOD_SYMBOLS, shift = 2u * (first % ISOPOD_SYMBOLS);
    uint32_t above = place->key[(word + 1u) & (place->n / ISOPOD_SYMBOLS - 1u)];
    uint32_t window = place->key[word] >> shift | above << 1 << (31u - shift);
    uint32_t odd = ~window & ISOPOD_LOW_BITS;
    uint32_t negative = odd & (window >> 1 ^ ~isopod_symbols_below((int32_t)(last - j)));
    return odd | negative << 1;
}

#endif
