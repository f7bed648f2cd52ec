/* The uniform mask from bit fields of a stream (spec/ckks.md, section 3.3), unpacked in assembly
 * (mask_unpack.S) for the widths of the parameter sets. Everything here is public. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "mask_unpack.h"

uint32_t isopod_mask_unpack_26(uint32_t *out, const uint32_t *words, uint32_t headroom);
uint32_t isopod_mask_unpack_27(uint32_t *out, const uint32_t *words, uint32_t headroom);
uint32_t isopod_mask_unpack_29(uint32_t *out, const uint32_t *words, uint32_t headroom);
uint32_t isopod_mask_unpack_30(uint32_t *out, const uint32_t *words, uint32_t headroom);

/* Fields of any width. */
static uint32_t unpack_any(uint32_t *out, const uint32_t *words, const isopod_prime *prime) {
    uint32_t bits = prime->bits, keep = (1u << bits) - 1u, last = prime->modulus - 1u, over = 0;
    for (uint32_t i = 0, at = 0; i < ISOPOD_MASK_GROUP; i++, at += bits) {
        uint32_t low = words[at / 32u] >> at % 32u;
        uint32_t high = at % 32u + bits > 32u ? words[at / 32u + 1u] << (32u - at % 32u) : 0;
        out[i] = (low | high) & keep;
        over |= last - out[i];
    }
    return over >> 31;
}

uint32_t isopod_mask_unpack(uint32_t *out, const uint32_t *words, const isopod_prime *prime) {
    uint32_t headroom = 0x80000000u - prime->modulus;
    switch (prime->bits) {
    case 26:
        return isopod_mask_unpack_26(out, words, headroom);
    case 27:
        return isopod_mask_unpack_27(out, words, headroom);
    case 29:
        return isopod_mask_unpack_29(out, words, headroom);
    case 30:
        return isopod_mask_unpack_30(out, words, headroom);
    default:
        return unpack_any(out, words, prime);
    }
}

void isopod_mask_fields_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP]) {
    uint32_t *words = out + ISOPOD_MASK_GROUP - mask->at.prime->bits;
    isopod_stream_words(&mask->source.streams.candidates, words, mask->at.prime->bits);
    if (isopod_mask_unpack(out, words, mask->at.prime) == 0) {
        return;
    }
    isopod_mask_replace(mask, out, ISOPOD_MASK_GROUP);
}

#endif
