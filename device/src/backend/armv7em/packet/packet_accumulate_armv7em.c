/* Products of the mask with the key (packet_accumulate.c) for Armv7E-M: an element and a symbol
 * cost two instructions, sbfx and smlal, which takes one cycle for every operand. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../packet/body/symbols.h"

/* Four elements by the symbols at these bits. */
#define FOUR(a, b, c, d)                                                                           \
    "ldmia %[elements]!, {r4, r5, r6, r8}\n\t"                                                     \
    "sbfx %[symbol], %[symbols], #" #a ", #2\n\t"                                                  \
    "smlal %[low], %[high], r4, %[symbol]\n\t"                                                     \
    "sbfx %[symbol], %[symbols], #" #b ", #2\n\t"                                                  \
    "smlal %[low], %[high], r5, %[symbol]\n\t"                                                     \
    "sbfx %[symbol], %[symbols], #" #c ", #2\n\t"                                                  \
    "smlal %[low], %[high], r6, %[symbol]\n\t"                                                     \
    "sbfx %[symbol], %[symbols], #" #d ", #2\n\t"                                                  \
    "smlal %[low], %[high], r8, %[symbol]\n\t"

/* The sum plus the products of 16 elements. */
static inline int64_t dot(int64_t sum, const uint32_t *elements, uint32_t symbols) {
    uint32_t low = (uint32_t)sum, high = (uint32_t)((uint64_t)sum >> 32), symbol;
    __asm__(FOUR(30, 28, 26, 24) FOUR(22, 20, 18, 16) FOUR(14, 12, 10, 8) FOUR(6, 4, 2, 0)
            : [low] "+r"(low), [high] "+r"(high), [elements] "+r"(elements), [symbol] "=&r"(symbol)
            : [symbols] "r"(symbols)
            : "r4", "r5", "r6", "r8", "memory");
    return (int64_t)((uint64_t)high << 32 | low);
}

void isopod_packet_accumulate(int64_t *sums, const uint32_t group[ISOPOD_PACKET_GROUP],
                              const isopod_packet_place *place) {
    for (uint32_t j = place->first; j < place->first + place->count; j++) {
        int64_t sum = dot(*sums, group, isopod_symbols_of(place, place->at, j));
        *sums++ = dot(sum, group + ISOPOD_SYMBOLS,
                      isopod_symbols_of(place, place->at + ISOPOD_SYMBOLS, j));
    }
}

#endif
