/* Products, rounding and packing of coefficients that travel (encrypt/rounded.h; the bounds are in
 * encrypt/rounded_put.c) for Helium, in place of rounded_words_armv7em.S. Coefficients become
 * fields in memory, four at a time; rounded_pack.h packs them. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "../../encrypt/rounded.h"

#include "mask_words.h"
#include "butterfly.h"
#include "rounded_pack.h"

#define BLOCK ISOPOD_ROUNDED_BLOCK

void isopod_rounded_multiply(isopod_word *x, const isopod_word *a, const isopod_residue *key,
                             uint32_t count, const isopod_prime *prime) {
    const isopod_lanes lanes = isopod_lanes_of(prime->modulus, prime->negative_inverse);
    const int32_t *factors = (const int32_t *)key;
    for (const isopod_word *end = x + count; x != end; x += 4, a += 4, factors += 4) {
        int32x4_t left = vld1q_s32(a), right = vld1q_s32(factors);
        int32x4_t multiple = vmulq_n_s32(vmulq_s32(left, right), (int32_t)lanes.inverse);
        vst1q_s32(x,
                  vrhaddq_s32(vqdmulhq_s32(left, right), vqdmulhq_n_s32(multiple, lanes.minus_q)));
    }
}

void isopod_rounded_multiply_mask(isopod_word *x, isopod_mask *mask, const isopod_residue *key,
                                  const isopod_ntt *ntt) {
    uint32_t batch[ISOPOD_MASK_BATCH];
    isopod_mask_words words;
    isopod_mask_words_start(&words, mask, ntt->length);
    for (uint32_t i = 0; i < ntt->length; i += ISOPOD_MASK_BATCH) {
        isopod_mask_batch(mask, &words, batch);
        isopod_rounded_multiply(x + i, (const isopod_word *)batch, key + i, ISOPOD_MASK_BATCH,
                                ntt->prime);
    }
}

/* Places of the low words of four numbers of 64 bits. */
ISOPOD_INLINE uint32x4_t low_words(void) {
    return vidupq_n_u32(0, 2);
}

/* Four coefficients, or the last ones. */
typedef struct {
    int32x4_t x, value, error;
} addends;

/* Sum, residue, and its upper bits. */
ISOPOD_INLINE uint32x4_t field_of_one(addends from, const isopod_rounded_one *of,
                                      uint32_t is_short) {
    const int32_t minus_q = -(int32_t)of->modulus;
    int32x4_t sum = vaddq_n_s32(vaddq_s32(from.x, from.error), of->before);
    sum = is_short ? vmlaq_n_s32(sum, from.value, of->factor) : vaddq_s32(sum, from.value);
    const int32x4_t twice = vqdmulhq_n_s32(sum, (int32_t)of->barrett);
    sum = vmlaq_n_s32(sum, vrshrq_n_s32(twice, 1), minus_q);
    sum = vmlaq_n_s32(sum, vshrq_n_s32(sum, 31), minus_q);
    const uint32x4_t field = vaddq_n_u32(vreinterpretq_u32_s32(sum), of->after);
    return vshlq_r_u32(field, -(int32_t)of->dropped);
}

/* Computes the fields of `count` coefficients from number `first` on. */
ISOPOD_INLINE void fields_of_one(uint32_t *out, const isopod_rounded_one *shared, uint32_t first,
                                 uint32_t count, uint32_t is_short) {
    const isopod_rounded_one of = *shared;
    const isopod_word *x = of.x + first;
    const int16_t *numbers = (const int16_t *)of.values + first;
    const int32_t *messages = (const int32_t *)of.values + 2 * (size_t)first;
    const int8_t *error = of.error + first;
    const uint32x4_t low = low_words();
    addends from;
    for (const uint32_t *end = out + count / 4u * 4u; out != end; out += 4) {
        from.x = vld1q_s32(x), from.error = vldrbq_s32(error);
        from.value =
            is_short ? vldrhq_s32(numbers) : vldrwq_gather_shifted_offset_s32(messages, low);
        vst1q_u32(out, field_of_one(from, &of, is_short));
        x += 4, numbers += 4, messages += 8, error += 4;
    }
    const mve_pred16_t rest = vctp32q(count % 4u);
    from.x = vldrwq_z_s32(x, rest), from.error = vldrbq_z_s32(error, rest);
    from.value = is_short ? vldrhq_z_s32(numbers, rest)
                          : vldrwq_gather_shifted_offset_z_s32(messages, low, rest);
    vst1q_u32(out, field_of_one(from, &of, is_short));
}

void isopod_rounded_put_one(isopod_rounded_bits *bits, const isopod_rounded_one *of) {
    const uint32_t all = (uint32_t)(of->end - of->x);
    isopod_fields fields;
    for (uint32_t first = 0; first < all; first += BLOCK) {
        const uint32_t count = all - first < BLOCK ? all - first : BLOCK;
        uint32_t *out = isopod_fields_start(&fields, count, of->kept);
        if (of->is_short) {
            fields_of_one(out, of, first, count, 1);
        } else {
            fields_of_one(out, of, first, count, 0);
        }
        isopod_fields_put(bits, &fields);
    }
}

/* Four numbers of 64 bits. */
typedef struct {
    uint32x4_t low, high;
} words64;

/* The halved sum of two low words has their carry as its highest bit. */
ISOPOD_INLINE words64 add64(words64 a, words64 b) {
    uint32x4_t carry = vshrq_n_u32(vhaddq_u32(a.low, b.low), 31);
    words64 sum = {vaddq_u32(a.low, b.low), vaddq_u32(vaddq_u32(a.high, b.high), carry)};
    return sum;
}

/* Sign-extended numbers of 32 bits. */
ISOPOD_INLINE words64 widened(int32x4_t value) {
    words64 wide = {vreinterpretq_u32_s32(value), vreinterpretq_u32_s32(vshrq_n_s32(value, 31))};
    return wide;
}

ISOPOD_INLINE words64 every64(uint64_t value) {
    words64 all = {vdupq_n_u32((uint32_t)value), vdupq_n_u32((uint32_t)(value >> 32))};
    return all;
}

void isopod_rounded_join(const isopod_rounded_join_of *of) {
    const isopod_lanes lanes = isopod_lanes_of((uint32_t)of->second, of->negative_inverse);
    const isopod_root inverse = isopod_root_of(of->inverse, &lanes);
    const uint64_t raise = 0u - (uint64_t)of->least_beyond;
    const uint32_t first = (uint32_t)of->first;
    const isopod_word *x = of->x, *y = of->y;
    const int8_t *error = of->error;
    uint32_t *message = (uint32_t *)(void *)of->message;
    const uint32x4_t low = low_words();
    for (int32_t left = (int32_t)(of->end - x); left > 0; left -= 4) {
        const mve_pred16_t there = vctp32q((uint32_t)left);
        int32x4_t digit = vldrwq_z_s32(x, there),
                  sum = vaddq_s32(digit, vldrbq_z_s32(error, there));
        digit = vsubq_s32(vldrwq_z_s32(y, there), digit);
        digit = isopod_lanes_canonical(isopod_times(digit, inverse, &lanes), &lanes);
        const uint32x4_t by = vreinterpretq_u32_s32(digit);
        const words64 product = {vmulq_n_u32(by, first), vmulhq_u32(by, vdupq_n_u32(first))};
        const words64 value = {vldrwq_gather_shifted_offset_z_u32(message, low, there),
                               vldrwq_gather_shifted_offset_z_u32(message + 1, low, there)};
        const words64 all = add64(add64(product, value), add64(widened(sum), every64(raise)));
        vstrwq_scatter_shifted_offset_p_u32(message, low, all.low, there);
        vstrwq_scatter_shifted_offset_p_u32(message + 1, low, all.high, there);
        x += 4, y += 4, error += 4, message += 8;
    }
}

/* value + q where value < 0. */
ISOPOD_INLINE words64 raised(words64 value, words64 modulus) {
    const uint32x4_t is_negative =
        vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(value.high), 31));
    const words64 addend = {vandq_u32(is_negative, modulus.low),
                            vandq_u32(is_negative, modulus.high)};
    return add64(value, addend);
}

/* Computes the fields of `count` sums, of one word each or of two. */
ISOPOD_INLINE void fields_of_two(uint32_t *out, const isopod_rounded_two *of, uint32_t first,
                                 uint32_t count, uint32_t is_wide) {
    const uint32_t *sums = (const uint32_t *)(const void *)(of->sums + first);
    const uint32x4_t low = low_words();
    const int32_t down = -(int32_t)of->dropped, up = 32 - (int32_t)of->dropped;
    for (int32_t left = (int32_t)count; left > 0; left -= 4, sums += 8) {
        const mve_pred16_t there = vctp32q((uint32_t)left);
        words64 value = {vldrwq_gather_shifted_offset_z_u32(sums, low, there),
                         vldrwq_gather_shifted_offset_z_u32(sums + 1, low, there)};
        value = raised(raised(value, every64(of->modulus)), every64(of->modulus));
        value = add64(value, every64(of->after));
        const uint32x4_t field =
            vorrq_u32(vshlq_r_u32(value.low, down), vshlq_r_u32(value.high, up));
        if (is_wide) {
            const uint32x4x2_t both = {{field, vshlq_r_u32(value.high, down)}};
            vst2q_u32(out, both);
            out += 8;
        } else {
            vst1q_u32(out, field);
            out += 4;
        }
    }
}

void isopod_rounded_put_two(isopod_rounded_bits *bits, const isopod_rounded_two *of) {
    const uint32_t all = (uint32_t)(of->end - of->sums);
    isopod_fields fields;
    for (uint32_t first = 0; first < all; first += BLOCK) {
        const uint32_t count = all - first < BLOCK ? all - first : BLOCK;
        uint32_t *out = isopod_fields_start(&fields, count, of->kept);
        if (of->kept > 32u) {
            fields_of_two(out, of, first, count, 1);
        } else {
            fields_of_two(out, of, first, count, 0);
        }
        isopod_fields_put(bits, &fields);
    }
}

#endif
