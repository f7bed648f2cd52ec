/* The uniform mask from bit fields of a stream (spec/ckks.md, section 3.3) for RV32IM. Everything
 * here is public. */
#include "../backend.h"
#if ISOPOD_BACKEND_IS(rv32im)

#include "../../base/constant_time.h"
#include "../../random/suite_block.h"

#define INLINE static inline __attribute__((always_inline))

/* Not zero if a field is too large. One branch per field: the mask is public, and few fields are
 * too large. */
INLINE uint32_t unpack(uint32_t *out, const uint32_t *in, uint32_t bits, uint32_t last) {
    const uint32_t keep = (1u << bits) - 1u;
    uint32_t over = 0, low = *in++;
#pragma GCC unroll 32
    for (uint32_t i = 0; i < ISOPOD_MASK_GROUP; i++) {
        const uint32_t shift = i * bits % 32u;
        uint32_t field = low >> shift;
        if (shift + bits > 32u) {
            low = *in++;
            field |= low << (32u - shift);
        } else if (shift + bits == 32u && i + 1 < ISOPOD_MASK_GROUP) {
            low = *in++;
        }
        field &= keep;
        if (__builtin_expect(field > last, 0)) {
            over = isopod_ct_barrier(1);
        }
        out[i] = field;
    }
    return over;
}

/* Widths other than those of the larger sets; product_rv32im.c unpacks 26 bits by itself. */
__attribute__((noinline)) static uint32_t unpack_any(uint32_t *out, const uint32_t *in,
                                                     const isopod_prime *prime) {
    const uint32_t keep = (1u << prime->bits) - 1u, last = prime->modulus - 1u;
    uint32_t over = 0;
    for (uint32_t i = 0, at = 0; i < ISOPOD_MASK_GROUP; i++, at += prime->bits) {
        const uint32_t *low = in + at / 32u;
        uint32_t shift = at % 32u;
        uint32_t high = shift + prime->bits > 32u ? low[1] << (32u - shift) : 0;
        out[i] = (low[0] >> shift | high) & keep;
        over |= (last - out[i]) >> 31;
    }
    return over;
}

static uint32_t unpack_group(uint32_t out[ISOPOD_MASK_GROUP], const uint32_t *in,
                             const isopod_prime *prime) {
    const uint32_t last = prime->modulus - 1u;
    switch (prime->bits) {
    case 29:
        return unpack(out, in, 29, last);
    case 30:
        return unpack(out, in, 30, last);
    default:
        return unpack_any(out, in, prime);
    }
}

void isopod_mask_fields_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP]) {
    uint32_t candidates[ISOPOD_MASK_GROUP];
    isopod_stream_words(&mask->source.streams.candidates, candidates, mask->at.prime->bits);
    if (unpack_group(out, candidates, mask->at.prime) == 0) {
        return;
    }
    isopod_mask_replace(mask, out, ISOPOD_MASK_GROUP);
}

#endif
