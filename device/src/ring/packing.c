/* Bit packing of canonical residues (spec/wire.md, section 1), in place, in portable C. */
#include "packing.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(PACKING)
/* Packs whole words on a little-endian machine. The output never overtakes the input, since a word
 * has more than `bits`. If a value straddles two words, shift > 0, because 0 < bits - shift. */
uint32_t isopod_pack_in_place(isopod_residue *residues, uint32_t count, uint32_t bits) {
    isopod_residue *out = residues;
    isopod_residue word = 0;
    uint32_t shift = 0;
    for (uint32_t i = 0; i < count; i++) {
        isopod_residue value = residues[i];
        word |= value << shift;
        shift += bits;
        if (shift >= ISOPOD_WORD_BITS) {
            *out++ = word;
            shift -= ISOPOD_WORD_BITS;
            word = value >> (bits - shift);
        }
    }
    return (uint32_t)(out - residues) * (ISOPOD_WORD_BITS / 8u);
}
#endif
