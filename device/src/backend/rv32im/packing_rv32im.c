/* Bit packing of residues (ring/packing.h) for RV32IM, 32 at a time, unrolled for widths of 26, 29
 * and 30 bits. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../ring/packing.h"

#define INLINE static inline __attribute__((always_inline))

/* Packs 32 residues into `bits` words, in place: word w is written after residue w was read. */
INLINE void pack(uint32_t *out, const uint32_t *in, uint32_t bits) {
    uint32_t word = 0;
#pragma GCC unroll 32
    for (uint32_t i = 0; i < 32u; i++) {
        const uint32_t shift = i * bits % 32u;
        const uint32_t value = in[i];
        word = shift == 0 ? value : word | value << shift;
        if (shift + bits >= 32u) {
            *out++ = word;
            word = shift + bits == 32u ? 0 : value >> (32u - shift);
        }
    }
}

static void pack_any(uint32_t *out, const uint32_t *in, uint32_t bits) {
    uint32_t word = 0, shift = 0;
    for (uint32_t i = 0; i < 32u; i++) {
        uint32_t value = in[i];
        word |= value << shift;
        shift += bits;
        if (shift >= 32) {
            *out++ = word;
            shift -= 32;
            word = value >> (bits - shift);
        }
    }
}

static void pack_group(uint32_t *out, const uint32_t *in, uint32_t bits) {
    switch (bits) {
    case 26:
        pack(out, in, 26);
        break;
    case 29:
        pack(out, in, 29);
        break;
    case 30:
        pack(out, in, 30);
        break;
    default:
        pack_any(out, in, bits);
    }
}

uint32_t isopod_pack_in_place(uint32_t *residues, uint32_t count, uint32_t bits) {
    uint32_t *out = residues;
    for (uint32_t i = 0; i < count; i += 32u, out += bits) {
        pack_group(out, residues + i, bits);
    }
    return (uint32_t)(out - residues) * 4u;
}

#endif
