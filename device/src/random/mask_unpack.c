/* Bit fields of aligned words (mask_unpack.h), in portable C. Everything here is public. */
#include "mask_unpack.h"

#include "../backend/backend.h"

#if ISOPOD_PORTABLE(MASK_UNPACK)
uint32_t isopod_mask_unpack(uint32_t *out, const uint32_t *words, const isopod_prime *prime) {
    const uint32_t width = prime->bits, keep = (UINT32_C(1) << width) - 1u;
    const uint32_t last = prime->modulus - 1u;
    uint32_t over = 0, held = 0, bits = 0;
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        uint32_t field = held;
        if (bits < width) {
            uint32_t word = *words++;
            field |= word << bits;
            held = word >> (width - bits);
            bits += 32u;
        } else {
            held >>= width;
        }
        bits -= width;
        field &= keep;
        over |= last - field;
        out[i] = field;
    }
    return over >> 31;
}
#endif
