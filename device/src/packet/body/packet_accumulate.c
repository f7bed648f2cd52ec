/* Products of the mask with the key without a transform (spec/packet.md, section 8), in portable C.
 * Constant time: the key is an operand only, and no address depends on it. */
#include "symbols.h"

#include "../../backend/backend.h"

#if ISOPOD_PORTABLE(PACKET_ACCUMULATE)
/* Symbol number i. */
static inline int32_t symbol_at(uint32_t symbols, uint32_t i) {
    return (int32_t)(symbols << (30u - 2u * i)) >> 30;
}

/* A product is below 2^30, and so the sum of two below 2^31. */
static inline int64_t dot(const uint32_t *elements, uint32_t symbols) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < ISOPOD_SYMBOLS; i += 2) {
        sum += (int32_t)elements[i] * symbol_at(symbols, ISOPOD_SYMBOLS - 1u - i) +
               (int32_t)elements[i + 1u] * symbol_at(symbols, ISOPOD_SYMBOLS - 2u - i);
    }
    return sum;
}

void isopod_packet_accumulate(isopod_packet_sum *sums, const uint32_t group[ISOPOD_PACKET_GROUP],
                              const isopod_packet_place *place) {
    for (uint32_t j = place->first; j < place->first + place->count; j++) {
        int64_t sum = *sums;
        for (uint32_t at = 0; at < ISOPOD_PACKET_GROUP; at += ISOPOD_SYMBOLS) {
            sum += dot(group + at, isopod_symbols_of(place, place->at + at, j));
        }
        *sums++ = sum;
    }
}
#endif
