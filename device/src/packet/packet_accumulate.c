/* Products of the mask with the key without a transform (spec/packet.md, section 8), in portable C.
 * A symbol of the key is value + 1, so a product is that of the symbol less the element itself.
 * Constant time: the key is an operand only, and no address depends on it. */
#include "packet.h"

#include "../backend/backend.h"

#if ISOPOD_PORTABLE(PACKET_ACCUMULATE)
#define LOW_BITS 0x55555555u

/* The low `count` symbols of a window, at most all of them. */
static inline uint32_t symbols_below(int32_t count) {
    return count <= 0                              ? 0
           : count >= (int32_t)ISOPOD_PACKET_GROUP ? UINT32_MAX
                                                   : (UINT32_C(1) << (2u * (uint32_t)count)) - 1u;
}

/* 16 symbols of the key, whose first is coefficient `at` modulo n. */
static inline uint32_t window_at(const isopod_packet_place *place, uint32_t at) {
    uint32_t within = at & (place->n - 1u), word = within / 16u, shift = 2u * (within % 16u);
    uint32_t above = place->key[(word + 1u) & (place->n / 16u - 1u)];
    return place->key[word] >> shift | above << 1 << (31u - shift);
}

/* Changes the symbols of negated coefficients: 0 to 2 and 2 to 0. */
static inline uint32_t negated(uint32_t window, uint32_t symbols) {
    return window ^ ((~window & LOW_BITS) << 1 & symbols);
}

/* A product is below 2^31, and so the sum of two below 2^32. */
static inline uint64_t dot(const uint32_t group[ISOPOD_PACKET_GROUP], uint32_t window) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ISOPOD_PACKET_GROUP; i += 2, window >>= 4) {
        sum += group[i] * (window & 3u) + group[i + 1u] * (window >> 2 & 3u);
    }
    return sum;
}

void isopod_packet_accumulate(uint64_t *sums, const uint32_t group[ISOPOD_PACKET_GROUP],
                              const isopod_packet_place *place) {
    uint32_t last = place->at + ISOPOD_PACKET_GROUP - 1u;
    for (uint32_t j = place->first; j < place->first + place->count; j++) {
        uint32_t window = window_at(place, j - last);
        *sums++ += dot(group, negated(window, symbols_below((int32_t)(last - j))));
    }
}
#endif
