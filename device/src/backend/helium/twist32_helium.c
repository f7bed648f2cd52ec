/* The last twist of the 32-bit encoder (spec/ckks.md, section 4) for Helium, four pairs at a time.
 * Sums of 64-bit products are exact: a product is a high and an unsigned low word, and vhadd halves
 * the sum of two words without losing its carry. Constant time. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "butterfly.h"
#include "fft32.h"

/* floor((a*b + c*d + 2^29) / 2^30): of the sum of the low words its half is enough. */
ISOPOD_INLINE int32x4_t fraction(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) {
    uint32x4_t low =
        vhaddq_u32(vreinterpretq_u32_s32(vmulq_s32(a, b)), vreinterpretq_u32_s32(vmulq_s32(c, d)));
    int32x4_t high = vaddq_s32(vmulhq_s32(a, b), vmulhq_s32(c, d));
    return vaddq_s32(vshlq_n_s32(high, 2), vreinterpretq_s32_u32(vrshrq_n_u32(low, 29)));
}

/* Summands of four sums before they lose 32 + f bits: offsets times 2^f, as high words and
 * halved low words; then the high word is shifted left by `left` = -f. */
typedef struct {
    int32x4_t high, half_low;
    int32_t left;
} rounding;

ISOPOD_INLINE rounding rounding_of(uint32x4_t offsets, unsigned f) {
    const uint32x4_t low = vshlq_r_u32(offsets, (int32_t)f);
    const uint32x4_t high = vshlq_r_u32(vshrq_n_u32(offsets, 1), (int32_t)f - 31);
    const rounding by = {vaddq_n_s32(vreinterpretq_s32_u32(high), 2),
                         vreinterpretq_s32_u32(vshrq_n_u32(low, 1)), -(int32_t)f};
    return by;
}

/* floor((2*a*c + 2*b*s + 2*rest + by) / 2^(32 + f)). With the sum of the low words 2*m + e and the
 * low word l of what is added, its carry is floor((4*m + 2*e + 2*rest + l) / 2^32) = floor((m + g)
 * / 2^30), g = floor((e + rest + floor(l / 2)) / 2), of |rest| <= 2^30; m is taken less 2^31, hence
 * the 2 in by->high. */
ISOPOD_INLINE int32x4_t rounded(int32x4_t a, int32x4_t c, int32x4_t b, int32x4_t s, int32x4_t rest,
                                const rounding *by) {
    uint32x4_t low_a = vreinterpretq_u32_s32(vmulq_s32(a, c));
    uint32x4_t low_b = vreinterpretq_u32_s32(vmulq_s32(b, s));
    int32x4_t high = vshlq_n_s32(vaddq_s32(vmulhq_s32(a, c), vmulhq_s32(b, s)), 1);
    uint32x4_t m = vaddq_n_u32(vhaddq_u32(low_a, low_b), 0x80000000u);
    uint32x4_t e = vandq_u32(veorq_u32(low_a, low_b), vdupq_n_u32(1));
    int32x4_t g = vhaddq_s32(vaddq_s32(vreinterpretq_s32_u32(e), rest), by->half_low);
    int32x4_t carry = vshrq_n_s32(vhaddq_s32(vreinterpretq_s32_u32(m), g), 29);
    return vshlq_r_s32(vaddq_s32(vaddq_s32(high, carry), by->high), by->left);
}

/* All ones in lanes where a + b is odd. */
ISOPOD_INLINE int32x4_t odd(int32x4_t a, int32x4_t b) {
    return vshrq_n_s32(vshlq_n_s32(veorq_s32(a, b), 31), 31);
}

/* Halves of two sums of two words each, rounded down, and masks of what was lost. */
typedef struct {
    int32x4_t a, b, odd_a, odd_b;
} halves;

/* Cosines and sines of four angles: cosines in `order` of memory, sines in reverse. */
typedef struct {
    const int32_t *cosines, *sines;
    uint32x4_t order;
} angles;

/* (a*c + b*s) and (a*s - b*c) of doubled halves a and b. */
ISOPOD_INLINE void untwist(int32_t *out, uint32x4_t at, halves x, angles of, const rounding by[2]) {
    const int32x4_t c = vldrwq_gather_shifted_offset_s32(of.cosines, of.order);
    const int32x4_t s =
        vldrwq_gather_shifted_offset_s32(of.sines, vsubq_u32(vdupq_n_u32(3), of.order));
    int32x4_t rest = vhaddq_s32(vandq_s32(c, x.odd_a), vandq_s32(s, x.odd_b));
    vstrwq_scatter_offset_s32(out, at, rounded(x.a, c, x.b, s, rest, by));
    rest = vhsubq_s32(vandq_s32(s, x.odd_a), vandq_s32(c, x.odd_b));
    vstrwq_scatter_offset_s32(out + 1, at, rounded(x.a, s, vnegq_s32(x.b), c, rest, by + 1));
}

/* Offsets number `turn` and the next one of four words from `k` on. */
ISOPOD_INLINE void roundings_of(rounding by[2], const isopod_dither *dither, uint32_t k,
                                unsigned turn) {
    uint32x4_t offsets[2] = {vdupq_n_u32(0x80000000u), vdupq_n_u32(0x80000000u)};
    if (dither->words != NULL) {
        const uint32x4_t word = vldrwq_u32(dither->words + k);
        const uint32x4_t swapped = vorrq_u32(vshrq_n_u32(word, 16), vshlq_n_u32(word, 16));
        offsets[0] = turn == 0 ? word : swapped;
        offsets[1] = vorrq_u32(vshrq_n_u32(offsets[0], 8), vshlq_n_u32(offsets[0], 24));
    }
    by[0] = rounding_of(offsets[0], dither->shift);
    by[1] = rounding_of(offsets[1], dither->shift);
}

/* Pairs k .. k+3. */
static void four_pairs(int32_t *x, const int32_t *cosine, uint32_t n, uint32_t k,
                       const isopod_dither *dither) {
    rounding by[2];
    const uint32x4_t up = vidupq_n_u32(0, 8), down = vddupq_n_u32(24, 8);
    int32_t *low = x + 2 * k, *high = x + 2 * (n / 4 - k - 3);
    const int32x4_t x_re = vldrwq_gather_offset_s32(low, up);
    const int32x4_t x_im = vldrwq_gather_offset_s32(low + 1, up);
    const int32x4_t y_re = vldrwq_gather_offset_s32(high, down);
    const int32x4_t y_im = vldrwq_gather_offset_s32(high + 1, down);
    const int32x4_t t_re = vldrwq_gather_shifted_offset_s32(cosine + 4 * k, vidupq_n_u32(0, 4));
    const int32x4_t t_sin =
        vldrwq_gather_shifted_offset_s32(cosine + n / 2 - 4 * k - 12, vddupq_n_u32(12, 4));
    const int32x4_t d_re = vsubq_s32(x_re, y_re), d_im = vaddq_s32(x_im, y_im);
    const int32x4_t q_re = fraction(d_re, t_re, d_im, t_sin);
    const int32x4_t q_im = fraction(vnegq_s32(d_re), t_sin, d_im, t_re);
    const int32x4_t s_re = vaddq_s32(x_re, y_re), s_im = vsubq_s32(x_im, y_im);
    halves of = {vhaddq_s32(s_re, q_im), vhsubq_s32(s_im, q_re), odd(s_re, q_im), odd(s_im, q_re)};
    const angles first = {cosine + k, cosine + n / 2 - k - 3, vidupq_n_u32(0, 1)};
    roundings_of(by, dither, k, 0);
    untwist(low, up, of, first, by);
    of.a = vhsubq_s32(s_re, q_im);
    of.b = vhsubq_s32(vnegq_s32(s_im), q_re);
    const angles last = {cosine + n / 4 - k - 3, cosine + n / 4 + k, vddupq_n_u32(3, 1)};
    roundings_of(by, dither, k, 2);
    untwist(high, down, of, last, by);
}

uint32_t isopod_helium_untwist_pairs(int32_t *x, const int32_t *cosine, uint32_t n,
                                     const isopod_dither *dither) {
    uint32_t k = 1;
    for (; k + 4 <= n / 8; k += 4) {
        four_pairs(x, cosine, n, k, dither);
    }
    return k;
}

#endif
