/* Bit packing of residues (spec/wire.md, section 1) by groups of 32, in assembly (packing_words.S)
 * for the widths of the parameter sets. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "packing_group.h"

void isopod_pack_group_26(uint32_t *out, const uint32_t *residues);
void isopod_pack_group_27(uint32_t *out, const uint32_t *residues);
void isopod_pack_group_29(uint32_t *out, const uint32_t *residues);
void isopod_pack_group_30(uint32_t *out, const uint32_t *residues);

/* shift > 0 whenever a value straddles, because 0 < bits - shift. */
static void pack_any(uint32_t *out, const uint32_t *residues, uint32_t bits) {
    uint32_t word = 0, shift = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t value = residues[i];
        word |= value << shift;
        shift += bits;
        if (shift >= 32) {
            *out++ = word;
            shift -= 32;
            word = value >> (bits - shift);
        }
    }
}

void isopod_pack_group(uint32_t *out, const uint32_t *residues, uint32_t bits) {
    switch (bits) {
    case 26:
        isopod_pack_group_26(out, residues);
        break;
    case 27:
        isopod_pack_group_27(out, residues);
        break;
    case 29:
        isopod_pack_group_29(out, residues);
        break;
    case 30:
        isopod_pack_group_30(out, residues);
        break;
    default:
        pack_any(out, residues, bits);
    }
}

uint32_t isopod_pack_in_place(uint32_t *residues, uint32_t count, uint32_t bits) {
    uint32_t *out = residues;
    for (uint32_t i = 0; i < count; i += 32, out += bits) {
        isopod_pack_group(out, residues + i, bits);
    }
    return count * bits / 8;
}

#endif
