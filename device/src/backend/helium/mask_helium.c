/* The uniform mask from bit fields of a stream (spec/ckks.md, section 3.3) for Helium: 64 fields at
 * a time; those of 26 or 30 bits sixteen per lane, whose words are gathered. Everything here is
 * public. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "mask_words.h"

#include "../../base/memory.h"
#include "../armv7em/random/mask_unpack.h"
#include "butterfly.h"

/* Unpacks field i: inserts its bits from the next word and clears the bits above it. Its flag, bit
 * 31-i of the lane, is set if it is below the modulus. */
#define FIELD(i, bits)                                                                             \
    do {                                                                                           \
        enum { AT = (i) * (bits) / 32, SHIFT = (i) * (bits) % 32, REST = 32 - SHIFT };             \
        uint32x4_t value = word;                                                                   \
        if (SHIFT != 0) {                                                                          \
            value = vshrq_n_u32(word, SHIFT == 0 ? 1 : SHIFT);                                     \
        }                                                                                          \
        if (REST <= (bits) && (i) < 15) {                                                          \
            word = vldrwq_gather_base_u32(from, 4 * ((i) < 15 ? AT + 1 : 0));                      \
        }                                                                                          \
        if (REST < (bits)) {                                                                       \
            value = vsliq_n_u32(value, word, REST == 32 ? 31 : REST);                              \
        }                                                                                          \
        value = vbicq_n_u32(value, 0xffffffffu << (bits));                                         \
        vstrwq_scatter_base_u32(to, 4 * (i), value);                                               \
        value = vsubq_n_u32(value, modulus);                                                       \
        flags = (i) == 0 ? value : vsriq_n_u32(flags, value, (i) == 0 ? 1 : (i));                  \
    } while (0)

#define UNPACK(bits)                                                                               \
    static uint32x4_t unpack_##bits(uint32_t *out, const uint32_t *words, uint32_t modulus) {      \
        const uint32x4_t from = isopod_lanes_from(words, 2 * (bits)),                              \
                         to = isopod_lanes_from(out, 64);                                          \
        uint32x4_t word = vldrwq_gather_base_u32(from, 0), flags;                                  \
        FIELD(0, bits);                                                                            \
        FIELD(1, bits);                                                                            \
        FIELD(2, bits);                                                                            \
        FIELD(3, bits);                                                                            \
        FIELD(4, bits);                                                                            \
        FIELD(5, bits);                                                                            \
        FIELD(6, bits);                                                                            \
        FIELD(7, bits);                                                                            \
        FIELD(8, bits);                                                                            \
        FIELD(9, bits);                                                                            \
        FIELD(10, bits);                                                                           \
        FIELD(11, bits);                                                                           \
        FIELD(12, bits);                                                                           \
        FIELD(13, bits);                                                                           \
        FIELD(14, bits);                                                                           \
        FIELD(15, bits);                                                                           \
        return flags;                                                                              \
    }

UNPACK(26)
UNPACK(30)

/* Replaces the fields without a flag, in their order. */
static void replace(isopod_mask *mask, uint32_t out[ISOPOD_MASK_BATCH], uint32x4_t flags) {
    uint32_t lanes[4];
    vst1q_u32(lanes, vmvnq_u32(flags));
    for (uint32_t lane = 0; lane < 4; lane++, out += 16) {
        for (uint32_t over = lanes[lane] >> 16 << 16; over != 0;) {
            uint32_t i = (uint32_t)__builtin_clz(over);
            out[i] = isopod_mask_refill(mask);
            over &= ~(0x80000000u >> i);
        }
    }
}

/* Makes `count` words available. */
ISOPOD_INLINE const uint32_t *take(isopod_mask *mask, isopod_mask_words *words, uint32_t count) {
    uint32_t left = words->end - words->at;
    if (left < count) {
        uint32_t more = words->later < ISOPOD_EIGHT_BLOCKS ? words->later : ISOPOD_EIGHT_BLOCKS;
        uint32_t *to = words->words;
        const uint32_t *from = to + words->at;
        for (uint32_t i = 0; i < left; i += 4) {
            vst1q_u32(to + i, vld1q_u32(from + i));
        }
        isopod_stream_words(&mask->source.streams.candidates, to + left, more);
        words->at = 0;
        words->end = left + more;
        words->later -= more;
    }
    const uint32_t *taken = words->words + words->at;
    words->at += count;
    return taken;
}

/* Fields of a width whose sixteen fields are not whole words. */
static void unpack_group(isopod_mask *mask, uint32_t out[ISOPOD_MASK_GROUP],
                         const uint32_t *fields) {
    if (isopod_mask_unpack(out, fields, mask->at.prime) != 0) {
        isopod_mask_replace(mask, out, ISOPOD_MASK_GROUP);
    }
}

void isopod_mask_batch(isopod_mask *mask, isopod_mask_words *words,
                       uint32_t out[ISOPOD_MASK_BATCH]) {
    const isopod_prime *prime = mask->at.prime;
    if (mask->suite->seal != NULL) {
        isopod_mask_group(mask, out);
        isopod_mask_group(mask, out + ISOPOD_MASK_GROUP);
        return;
    }
    const uint32_t *fields = take(mask, words, 2u * prime->bits);
    if (prime->bits != 26 && prime->bits != 30) {
        unpack_group(mask, out, fields);
        unpack_group(mask, out + ISOPOD_MASK_GROUP, fields + prime->bits);
        return;
    }
    uint32x4_t flags = (prime->bits == 26 ? unpack_26 : unpack_30)(out, fields, prime->modulus);
    uint32_t all = vminvq_u32(0xffffffffu, vshrq_n_u32(flags, 16));
    if (all != 0xffffu) {
        replace(mask, out, flags);
    }
}

#endif
