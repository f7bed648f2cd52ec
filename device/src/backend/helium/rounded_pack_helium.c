/* Packing of fields into words (rounded_pack.h) for Helium. A word of the result has bits of at
 * most three fields of 16 bits or more, or of three words of wider ones; they are gathered. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "rounded_pack.h"

#include "butterfly.h"

#define LEAST_BITS 16u

ISOPOD_INLINE uint32_t words_of_field(const isopod_fields *fields) {
    return fields->kept > 32u ? 2 : 1;
}

uint32_t *isopod_fields_start(isopod_fields *fields, uint32_t count, uint32_t kept) {
    fields->count = count;
    fields->kept = kept;
    vst1q_u32(fields->words, vdupq_n_u32(0));
    return fields->words + ISOPOD_FIELDS_MARGIN * words_of_field(fields);
}

/* Where the words of a result begin in the fields. */
typedef struct {
    uint32_t kept, reciprocal;
    uint32_t second, third; /* bits from the first word of a field to the next two words */
} shape;

/* Words of the result whose first bits have these numbers, counted from the margin's fields on:
 * field i begins at bit i * kept. The reciprocal's error is below 2^-32 and bits are below 2^12. */
ISOPOD_INLINE uint32x4_t gathered(const uint32_t *words, uint32x4_t bit, const shape *of,
                                  uint32_t is_wide) {
    const uint32x4_t field = vmulhq_u32(bit, vdupq_n_u32(of->reciprocal));
    const uint32x4_t place = is_wide ? vshlq_n_u32(field, 1) : field;
    const int32x4_t left =
        vreinterpretq_s32_u32(vsubq_u32(vmulq_n_u32(field, of->kept), bit)); /* not positive */
    uint32x4_t word = vshlq_u32(vldrwq_gather_shifted_offset_u32(words, place), left);
    word = vorrq_u32(word, vshlq_u32(vldrwq_gather_shifted_offset_u32(words + 1, place),
                                     vaddq_n_s32(left, (int32_t)of->second)));
    return vorrq_u32(word, vshlq_u32(vldrwq_gather_shifted_offset_u32(words + 2, place),
                                     vaddq_n_s32(left, (int32_t)of->third)));
}

/* Writes all whole words; the rest waits. */
ISOPOD_INLINE void put(isopod_rounded_bits *bits, const isopod_fields *fields, uint32_t is_wide) {
    const uint32_t kept = fields->kept, all = bits->held + fields->count * kept;
    const shape of = {kept, 0xffffffffu / kept + 1u, is_wide ? 32u : kept,
                      is_wide ? kept : 2 * kept};
    const uint32_t first = ISOPOD_FIELDS_MARGIN * kept - bits->held, waiting = bits->word;
    uint32_t *out = bits->out;
    uint32x4_t bit = vaddq_n_u32(vshlq_n_u32(vidupq_n_u32(0, 8), 2), first);
    for (uint32_t left = all / 128u; left > 0; left--, out += 4) {
        vst1q_u32(out, gathered(fields->words, bit, &of, is_wide));
        bit = vaddq_n_u32(bit, 128);
    }
    const mve_pred16_t rest = vctp32q(all / 32u % 4u);
    vstrwq_p_u32(out, gathered(fields->words, bit, &of, is_wide), rest);
    bit = vdupq_n_u32(first + all / 32u * 32u);
    bits->word = vgetq_lane_u32(gathered(fields->words, bit, &of, is_wide), 0);
    *(all < 32u ? &bits->word : bits->out) |= waiting;
    bits->out += all / 32u;
    bits->held = all % 32u;
}

/* Narrow fields one after the other. */
static void put_narrow(isopod_rounded_bits *bits, const uint32_t *field, uint32_t count,
                       uint32_t kept) {
    isopod_rounded_bits to = *bits;
    for (; count > 0; count--, field++) {
        to.word |= *field << to.held;
        to.held += kept;
        if (to.held >= 32u) {
            *to.out++ = to.word;
            to.held -= 32u;
            to.word = *field >> (kept - to.held);
        }
    }
    *bits = to;
}

void isopod_fields_put(isopod_rounded_bits *bits, isopod_fields *fields) {
    const uint32_t each = words_of_field(fields);
    uint32_t *start = fields->words + ISOPOD_FIELDS_MARGIN * each;
    vst1q_u32(start + fields->count * each, vdupq_n_u32(0));
    if (fields->kept < LEAST_BITS) {
        put_narrow(bits, start, fields->count, fields->kept);
    } else if (each == 1) {
        put(bits, fields, 0);
    } else {
        put(bits, fields, 1);
    }
}

#endif
