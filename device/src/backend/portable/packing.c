#include "../../packing.h"

/* Whole words on a little-endian machine. The output never overtakes the input, since bits < 32;
 * shift > 0 whenever a value straddles, because 0 < bits - shift. */
uint32_t isopod_pack_in_place(uint32_t *residues, uint32_t count, uint32_t bits) {
    uint32_t *out = residues;
    uint32_t word = 0, shift = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = residues[i];
        word |= value << shift;
        shift += bits;
        if (shift >= 32) {
            *out++ = word;
            shift -= 32;
            word = value >> (bits - shift);
        }
    }
    return (uint32_t)(out - residues) * 4u;
}
