/* Products of the mask with the key, and fields of the mask (packet.h), for 8-bit AVR. The key lies
 * in program memory. Constant time: masks are made of the key's bits, shifts and addresses are
 * public. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(avr)

#include "../../packet/packet.h"

#include "../../base/memory.h"
#include "../../base/program_memory.h"

#define SYMBOLS_IN_BYTE 4u
#define LOW_BITS 0x5555u

/* Adds eight elements, each taken where the first of its two flags is set, and negated where
 * the second one is. Flags leave at the top. Neither AND nor EOR changes the carry, which negation
 * adds. */
static inline void add_to(isopod_packet_sum *sum, const uint32_t *elements, uint16_t flags) {
    uint32_t low = sum->low, element;
    int16_t high = sum->high;
    uint8_t mask, left = ISOPOD_PACKET_GROUP;
    __asm__("1: ld %A[element], %a[at]+\n\tld %B[element], %a[at]+\n\t"
            "ld %C[element], %a[at]+\n\tld %D[element], %a[at]+\n\t"
            "lsl %A[flags]\n\trol %B[flags]\n\tsbc %[mask], %[mask]\n\t"
            "and %A[element], %[mask]\n\tand %B[element], %[mask]\n\t"
            "and %C[element], %[mask]\n\tand %D[element], %[mask]\n\t"
            "lsl %A[flags]\n\trol %B[flags]\n\tsbc %[mask], %[mask]\n\t"
            "eor %A[element], %[mask]\n\teor %B[element], %[mask]\n\t"
            "eor %C[element], %[mask]\n\teor %D[element], %[mask]\n\t"
            "adc %A[low], %A[element]\n\tadc %B[low], %B[element]\n\t"
            "adc %C[low], %C[element]\n\tadc %D[low], %D[element]\n\t"
            "adc %A[high], %[mask]\n\tadc %B[high], %[mask]\n\tdec %[left]\n\tbrne 1b"
            : [low] "+r"(low), [high] "+r"(high), [element] "=&r"(element), [mask] "=&r"(mask),
              [left] "+r"(left), [flags] "+r"(flags), [at] "+e"(elements)
            :
            : "memory");
    sum->low = low;
    sum->high = high;
}

/* The eight symbols from coefficient `first` on. */
static inline uint16_t window_at(const isopod_packet_place *place, uint16_t first) {
    const uint8_t *key = (const uint8_t *)place->key;
    const uint16_t last = (uint16_t)(place->n / SYMBOLS_IN_BYTE - 1u);
    uint16_t at = first / SYMBOLS_IN_BYTE;
    uint16_t window = isopod_program_byte(key + at);
    window |= (uint16_t)(isopod_program_byte(key + ((at + 1u) & last)) << 8);
    uint8_t above = isopod_program_byte(key + ((at + 2u) & last));
    for (uint8_t shifts = 2u * (first % SYMBOLS_IN_BYTE); shifts > 0; shifts--) {
        __asm__("lsr %1\n\tror %B0\n\tror %A0" : "+r"(window), "+r"(above));
    }
    return window;
}

/* The low bits of the first `count` symbols, at most all of them. */
static inline uint16_t symbols_below(int16_t count) {
    if (count <= 0) {
        return 0;
    }
    return count >= (int16_t)ISOPOD_PACKET_GROUP
               ? LOW_BITS
               : LOW_BITS & (uint16_t)((UINT16_C(1) << (2u * (uint16_t)count)) - 1u);
}

/* A symbol is value + 1: its low bit is clear where the element is taken, its high one where it is
 * then negated, or is not if the coefficient has changed its sign. */
static ISOPOD_NOINLINE void add_product(isopod_packet_sum *sum, const uint32_t *group,
                                        const isopod_packet_place *place, uint16_t j) {
    uint16_t last = (uint16_t)(place->at + ISOPOD_PACKET_GROUP - 1u);
    uint16_t window = window_at(place, (uint16_t)(j - last) & (uint16_t)(place->n - 1u));
    uint16_t taken = (uint16_t)~window & LOW_BITS;
    uint16_t negated = taken & (window >> 1 ^ (uint16_t)~symbols_below((int16_t)(last - j)));
    add_to(sum, group, (uint16_t)(taken << 1 | negated));
}

void isopod_packet_accumulate(isopod_packet_sum *sums, const uint32_t group[ISOPOD_PACKET_GROUP],
                              const isopod_packet_place *place) {
    for (uint16_t j = (uint16_t)place->first; j < (uint16_t)(place->first + place->count); j++) {
        add_product(sums++, group, place, j);
    }
}

/* Four bytes and the low bits of a fifth, shifted down. */
static inline uint32_t shifted(uint32_t low, uint8_t high, uint8_t by) {
    for (; by > 0; by--) {
        __asm__("lsr %1\n\tror %D0\n\tror %C0\n\tror %B0\n\tror %A0" : "+r"(low), "+r"(high));
    }
    return low;
}

uint32_t isopod_packet_fields(uint32_t group[ISOPOD_PACKET_GROUP], const uint8_t *bytes,
                              const isopod_prime *prime) {
    const uint32_t keep = (UINT32_C(1) << prime->bits) - 1u, last = prime->modulus - 1u;
    uint32_t over = 0;
    uint8_t shift = 0;
    for (uint8_t i = 0; i < ISOPOD_PACKET_GROUP; i++) {
        uint32_t low = *(const uint32_t *)(const void *)bytes;
        uint8_t high = shift + prime->bits > 32u ? bytes[4] : 0;
        uint32_t field = shifted(low, high, shift) & keep;
        shift = (uint8_t)(shift + prime->bits);
        bytes += shift / 8u;
        shift %= 8u;
        over |= last - field;
        group[i] = field;
    }
    return over >> 31;
}

#endif
