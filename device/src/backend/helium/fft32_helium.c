/* Slots and butterflies of the 32-bit encoder (spec/ckks.md, section 4) for Helium, four complex
 * numbers at a time. vrmulh gives the rounded high half of a product, as the specification does.
 * Constant time: places and roots are public. */
#include "../backend.h"
#if ISOPOD_HAS(HELIUM)

#include "fft32.h"

#include "butterfly.h"

typedef struct {
    int32x4_t re, im;
} points;

/* Computes value * 2^(30 - log2_bound), rounded, ties away from zero, of four float32; scale = 128
 * + log2_bound. Subnormal numbers are below one half in any case: a shift by at most 158 to the
 * right, or by its lowest byte to the left, turns them into zero. */
ISOPOD_INLINE int32x4_t fixed_of(uint32x4_t bits, int32_t scale) {
    uint32x4_t magnitude = vorrq_n_u32(vshlq_n_u32(bits, 8), 0x80000000u);
    uint32x4_t exponent = vshrq_n_u32(vshlq_n_u32(bits, 1), 24);
    int32x4_t left = vsubq_n_s32(vreinterpretq_s32_u32(exponent), scale);
    int32x4_t value = vreinterpretq_s32_u32(vrshlq_u32(magnitude, left));
    int32x4_t sign = vshrq_n_s32(vreinterpretq_s32_u32(bits), 31);
    return vsubq_s32(veorq_s32(value, sign), sign);
}

/* Slot j goes to i = (e - 1)/4 or (2n - e - 1)/4, e = 3^j, which is e/4 or its complement: to word
 * 2 * reversed(i / 2) + i % 2. */
void isopod_helium_load_float32(int32_t *words, const isopod_values *values,
                                const isopod_encoding *encoding) {
    static const uint32_t first[4] = {1, 3, 9, 27}, flips[4] = {0, ~0u, 0, ~0u};
    const uint32_t *at = values->data, *end = at + values->count;
    const int32_t bits = encoding->log2_ring_degree - 2, scale = 128 + encoding->log2_bound;
    const uint32x4_t flip = vld1q_u32(flips);
    uint32x4_t power = vld1q_u32(first);
    for (; at != end; at += 4, power = vmulq_n_u32(power, 81)) {
        uint32x4_t i = veorq_u32(vshrq_n_u32(power, 2), flip);
        uint32x4_t place = vsliq_n_u32(i, vbrsrq_n_u32(vshrq_n_u32(i, 1), bits), 1);
        vstrwq_scatter_shifted_offset_s32(words, place, fixed_of(vld1q_u32(at), scale));
    }
}

ISOPOD_INLINE points plus(points a, points b) {
    return (points){vaddq_s32(a.re, b.re), vaddq_s32(a.im, b.im)};
}

ISOPOD_INLINE points minus(points a, points b) {
    return (points){vsubq_s32(a.re, b.re), vsubq_s32(a.im, b.im)};
}

/* The four-point transform of a, b, c, d (spec order), in place. */
ISOPOD_INLINE void four_points(points x[4]) {
    const points s = plus(x[0], x[1]), u = minus(x[0], x[1]);
    const points p = plus(x[2], x[3]), r = minus(x[2], x[3]);
    x[0] = plus(s, p), x[2] = minus(s, p);
    x[1] = (points){vaddq_s32(u.re, r.im), vsubq_s32(u.im, r.re)}; /* u - i*r */
    x[3] = (points){vsubq_s32(u.re, r.im), vaddq_s32(u.im, r.re)};
}

ISOPOD_INLINE points quarter(points x) {
    return (points){vrshrq_n_s32(x.re, 2), vrshrq_n_s32(x.im, 2)};
}

/* Cosines of pi*v/n, 0 <= v < 2n, from the quarter wave. With d = |v - n| - n/2 the cosine is the
 * sine of pi*d/n. */
ISOPOD_INLINE int32x4_t cosines(const int32_t *cosine, uint32_t n, int32x4_t v) {
    const int32_t half = (int32_t)n / 2;
    int32x4_t d = vsubq_n_s32(vabsq_s32(vsubq_n_s32(v, (int32_t)n)), half);
    int32x4_t place = vsubq_s32(vdupq_n_s32(half), vabsq_s32(d));
    int32x4_t value = vldrwq_gather_shifted_offset_s32(cosine, vreinterpretq_u32_s32(place));
    int32x4_t sign = vshrq_n_s32(d, 31);
    return vsubq_s32(veorq_s32(value, sign), sign);
}

/* Four roots as factors of two numbers each: the real parts twice, then the imaginary parts, first
 * with the other sign. */
typedef struct {
    int32_t re[8], im[8];
} factors;

/* Roots exp(-i*pi*index/n), 0 <= index < 3n/2. */
ISOPOD_INLINE void put_roots(factors *w, const int32_t *cosine, uint32_t n, int32x4_t index) {
    const int32x4_t re = cosines(cosine, n, index);
    const int32x4_t im = cosines(cosine, n, vaddq_n_s32(index, (int32_t)n / 2));
    const uint32x4_t pairs = vidupq_n_u32(0, 2);
    vstrwq_scatter_shifted_offset_s32(w->re, pairs, re);
    vstrwq_scatter_shifted_offset_s32(w->re + 1, pairs, re);
    vstrwq_scatter_shifted_offset_s32(w->im, pairs, vnegq_s32(im));
    vstrwq_scatter_shifted_offset_s32(w->im + 1, pairs, im);
}

/* The pass with length 1: four blocks of four neighbours, one per lane. */
static void first_pass(int32_t *x, const int32_t *end) {
    for (; x != end; x += 32) {
        const uint32x4_t at = isopod_lanes_from(x, 32);
        points four[4];
        four[0] = (points){vldrwq_gather_base_s32(at, 0), vldrwq_gather_base_s32(at, 4)};
        four[1] = (points){vldrwq_gather_base_s32(at, 8), vldrwq_gather_base_s32(at, 12)};
        four[2] = (points){vldrwq_gather_base_s32(at, 16), vldrwq_gather_base_s32(at, 20)};
        four[3] = (points){vldrwq_gather_base_s32(at, 24), vldrwq_gather_base_s32(at, 28)};
        four[0] = quarter(four[0]), four[1] = quarter(four[1]);
        four[2] = quarter(four[2]), four[3] = quarter(four[3]);
        four_points(four);
        vstrwq_scatter_base_s32(at, 0, four[0].re), vstrwq_scatter_base_s32(at, 4, four[0].im);
        vstrwq_scatter_base_s32(at, 8, four[1].re), vstrwq_scatter_base_s32(at, 12, four[1].im);
        vstrwq_scatter_base_s32(at, 16, four[2].re), vstrwq_scatter_base_s32(at, 20, four[2].im);
        vstrwq_scatter_base_s32(at, 24, four[3].re), vstrwq_scatter_base_s32(at, 28, four[3].im);
    }
}

static void radix2_pass(int32_t *x, const int32_t *end) {
    for (; x != end; x += 16) {
        const int32x4x4_t in = vld4q_s32(x);
        const int32x4_t a_re = vrshrq_n_s32(in.val[0], 1), a_im = vrshrq_n_s32(in.val[1], 1);
        const int32x4_t b_re = vrshrq_n_s32(in.val[2], 1), b_im = vrshrq_n_s32(in.val[3], 1);
        const int32x4x4_t out = {{vaddq_s32(a_re, b_re), vaddq_s32(a_im, b_im),
                                  vsubq_s32(a_re, b_re), vsubq_s32(a_im, b_im)}};
        vst4q_s32(x, out);
    }
}

/* x*w/4 of two complex numbers, real part first. */
ISOPOD_INLINE int32x4_t turn(int32x4_t x, const factors *w, uint32_t at) {
    return vaddq_s32(vrmulhq_s32(x, vld1q_s32(w->re + at)),
                     vrmulhq_s32(vrev64q_s32(x), vld1q_s32(w->im + at)));
}

/* Two offsets of the pass of this length, by roots `at` / 4 of each four. */
static void columns(int32_t *x, const int32_t *end, uint32_t length, const factors w[3],
                    uint32_t at) {
    int32_t *x1 = x + 2 * length, *x2 = x1 + 2 * length, *x3 = x2 + 2 * length;
    for (; x < end; x += 8 * length, x1 += 8 * length, x2 += 8 * length, x3 += 8 * length) {
        const int32x4_t c = turn(vld1q_s32(x2), w, at), d = turn(vld1q_s32(x3), w + 2, at);
        const int32x4_t a = vrshrq_n_s32(vld1q_s32(x), 2), b = turn(vld1q_s32(x1), w + 1, at);
        const int32x4_t s = vaddq_s32(a, b), u = vsubq_s32(a, b);
        const int32x4_t p = vaddq_s32(c, d), r = vsubq_s32(c, d);
        vst1q_s32(x, vaddq_s32(s, p));
        vst1q_s32(x1, vcaddq_rot270_s32(u, r)); /* u - i*r */
        vst1q_s32(x2, vsubq_s32(s, p));
        vst1q_s32(x3, vcaddq_rot90_s32(u, r));
    }
}

/* Four offsets from `first` on, or two if there are only two. */
static void pass_at(int32_t *x, const int32_t *cosine, uint32_t n, uint32_t length,
                    uint32_t first) {
    const int32_t *end = x + n / 2;
    const uint32x4_t offset = vandq_u32(vidupq_n_u32(first, 1), vdupq_n_u32(length - 1));
    const int32x4_t index = vmulq_n_s32(vreinterpretq_s32_u32(offset), (int32_t)(n / (2 * length)));
    factors w[3];
    put_roots(w, cosine, n, index);
    put_roots(w + 1, cosine, n, vshlq_n_s32(index, 1));
    put_roots(w + 2, cosine, n, vmulq_n_s32(index, 3));
    columns(x + 2 * first, end, length, w, 0);
    if (length > 2) {
        columns(x + 2 * first + 4, end, length, w, 4);
    }
}

void isopod_helium_fft32(int32_t *x, const int32_t *cosine, uint32_t n) {
    uint32_t points = n / 4, length = 4;
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, x + n / 2);
        length = 2;
    } else {
        first_pass(x, x + n / 2);
    }
    for (; length < points; length *= 4) {
        for (uint32_t t = 0; t < length; t += 4) {
            pass_at(x, cosine, n, length, t);
        }
    }
}

#endif
