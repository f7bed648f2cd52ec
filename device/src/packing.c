#include "packing.h"

#include "memory.h"

/* The output never overtakes the input, since bits <= 32. */
uint32_t isopod_pack_in_place(uint32_t *residues, uint32_t count, uint32_t bits) {
    uint8_t *out = (uint8_t *)residues;
    uint64_t window = 0;
    uint32_t held = 0;
    for (uint32_t i = 0; i < count; i++) {
        window |= (uint64_t)residues[i] << held;
        held += bits;
        if (held >= 32) {
            isopod_store32(out, (uint32_t)window);
            out += 4;
            window >>= 32;
            held -= 32;
        }
    }
    return (uint32_t)(out - (uint8_t *)residues);
}
