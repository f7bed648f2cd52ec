/* Bit packing of residues (ring/packing.h) for NEON: four at a time for even widths. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(neon)

#include "../../ring/packing.h"

#include "fields.h"

/* Packs any width by whole words on a little-endian machine, as ring/packing.c does; for odd
 * widths. */
static uint32_t pack_any(uint32_t *residues, uint32_t count, uint32_t bits) {
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

/* The plan of packing: two fields are joined in each 64-bit lane, and the upper lane is moved up to
 * a byte border. Then the bytes of both lanes, which share one byte, are gathered. */
typedef struct {
    uint8x16_t first;
    uint8x16_t second;
    int64x2_t gap;
    int64x2_t align;
    uint64x2_t low;
} pack_plan;

static pack_plan plan_of(uint32_t bits) {
    uint8_t first[16], second[16];
    const uint32_t border = 2 * bits / 8;
#pragma GCC unroll 8
    for (uint32_t b = 0; b < 16; b++) {
        first[b] = b < 8 ? (uint8_t)b : 255;
        second[b] = b >= border && b < border + 8 ? (uint8_t)(8 + b - border) : 255;
    }
    const int64_t align[2] = {0, 2 * bits % 8};
    pack_plan plan = {vld1q_u8(first), vld1q_u8(second), vdupq_n_s64((int64_t)bits - 32),
                      vld1q_s64(align), vdupq_n_u64(((uint64_t)1 << bits) - 1)};
    return plan;
}

static inline __attribute__((always_inline)) uint8x16_t pack_four(uint32x4_t four,
                                                                  const pack_plan *plan) {
    const uint64x2_t pairs = vreinterpretq_u64_u32(four);
    uint64x2_t joined = vbslq_u64(plan->low, pairs, vshlq_u64(pairs, plan->gap));
    const uint8x16_t bytes = vreinterpretq_u8_u64(vshlq_u64(joined, plan->align));
    return vorrq_u8(isopod_lookup(bytes, plan->first), isopod_lookup(bytes, plan->second));
}

/* A store of 16 bytes at byte 4 * bits * i / 8 ends before the residues not yet read, for bits <=
 * 32; what it puts beyond its own bytes is zero and written over. */
uint32_t isopod_pack_in_place(uint32_t *residues, uint32_t count, uint32_t bits) {
    if (bits % 2 != 0 || bits < 16) {
        return pack_any(residues, count, bits);
    }
    const pack_plan plan = plan_of(bits);
    uint8_t *out = (uint8_t *)residues;
    for (const uint32_t *end = residues + count; residues != end; residues += 4, out += bits / 2) {
        vst1q_u8(out, pack_four(vld1q_u32(residues), &plan));
    }
    return count / 8 * bits;
}

#endif
