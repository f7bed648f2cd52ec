/* The 32-bit encoder (spec/ckks.md, section 4): butterflies in fft32_columns.S, post twist in
 * 64-bit accumulators that start with the offset of their rounding. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../base/memory.h"
#include "../../../encode/encode.h"

#include "../../../encode/values.h"
#if ISOPOD_HAS(HELIUM)
#include "../../helium/fft32.h"
#endif

static inline uint32_t reverse_bits(uint32_t v) {
    __asm__("rbit %0, %1" : "=r"(v) : "r"(v));
    return v;
}

/* Word where slot j goes: of i = (e - 1)/4 or (2n - e - 1)/4, e = 3^j, as e/4 or its complement. */
static inline uint32_t place(uint32_t power, uint32_t flip, uint32_t log2_half) {
    uint32_t i = ((power >> 2) ^ flip) & ((1u << log2_half) - 1u);
    uint32_t reversed = reverse_bits(i) << 1 >> (33u - log2_half);
    return 2 * reversed + (i & 1u);
}

#if ISOPOD_HAS(HELIUM)
#define load_float32 isopod_helium_load_float32
#define ROW 4u
#else
/* v >> by, zero for by >= 32; by < 256 */
static inline uint32_t shift_right(uint32_t v, uint32_t by) {
    __asm__("lsr %0, %1, %2" : "=r"(v) : "r"(v), "r"(by));
    return v;
}

/* value * 2^(30 - log2_bound), rounded, ties away from zero; scale = 127 + log2_bound. Subnormal
 * numbers are below one half in any case: the shift turns them into zero. */
static inline int32_t float32_fixed(uint32_t bits, uint32_t scale) {
    uint32_t magnitude = (bits << 8) | 0x80000000u;
    uint32_t twice = shift_right(magnitude, scale - ((bits >> 23) & 0xffu));
    int32_t value = (int32_t)((twice + 1u) >> 1);
    int32_t sign = (int32_t)bits >> 31;
    return (value ^ sign) - sign;
}

#define ROW 1u
static void load_float32(int32_t *words, const isopod_values *values,
                         const isopod_encoding *encoding) {
    const uint32_t *at = values->data, *end = at + values->count;
    uint32_t log2_half = encoding->log2_ring_degree - 1u, power = 1, flip = 0;
    uint32_t scale = (uint32_t)(127 + encoding->log2_bound);
    for (; at != end; at++, power *= 3, flip = ~flip) {
        words[place(power, flip, log2_half)] = float32_fixed(*at, scale);
    }
}
#endif

static void load_any(int32_t *words, const isopod_values *values, const isopod_encoding *encoding) {
    uint32_t log2_half = encoding->log2_ring_degree - 1u, power = 1, flip = 0;
    for (uint32_t j = 0; j < encoding->filled; j++, power *= 3, flip = ~flip) {
        words[place(power, flip, log2_half)] =
            isopod_value_fixed32(values, j & encoding->index_mask, 30 - encoding->log2_bound);
    }
}

static void load(int32_t *words, const isopod_values *values, const isopod_encoding *encoding) {
    uint32_t half = 1u << (encoding->log2_ring_degree - 1u);
    if (encoding->filled < half) {
        for (uint32_t i = 0; i < half; i++) {
            words[i] = 0;
        }
    }
    if (values->type == ISOPOD_VALUES_FLOAT32 && encoding->filled == values->count &&
        values->count % ROW == 0) {
        load_float32(words, values, encoding);
    } else {
        load_any(words, values, encoding);
    }
}

#if ISOPOD_HAS(HELIUM)
#define transform isopod_helium_fft32
#define FIRST_PAIR isopod_helium_untwist_pairs
#else
#define FIRST_PAIR(x, cosine, n, dither) 1
void isopod_fft32_first(int32_t *x, const int32_t *end);
void isopod_fft32_column_4(int32_t *x, const int32_t *end, const int32_t twiddles[6]);
void isopod_fft32_column_16(int32_t *x, const int32_t *end, const int32_t twiddles[6]);
void isopod_fft32_column_64(int32_t *x, const int32_t *end, const int32_t twiddles[6]);
void isopod_fft32_column_any(int32_t *x, const int32_t *end, const int32_t twiddles[6],
                             uint32_t bytes);

static void radix2_pass(int32_t *x, const int32_t *end) {
    for (; x != end; x += 4) {
        int32_t a_re = (x[0] + 1) >> 1, a_im = (x[1] + 1) >> 1;
        int32_t b_re = (x[2] + 1) >> 1, b_im = (x[3] + 1) >> 1;
        x[0] = a_re + b_re, x[1] = a_im + b_im;
        x[2] = a_re - b_re, x[3] = a_im - b_im;
    }
}

/* T(index) = exp(-i*pi*index/n) to root[0], root[1], 0 <= index < 3n/2. */
static inline void unit_root(int32_t *root, const int32_t *cosine, uint32_t n, uint32_t index) {
    if (index <= n / 2) {
        root[0] = cosine[index];
        root[1] = -cosine[n / 2 - index];
    } else if (index <= n) {
        root[0] = -cosine[n - index];
        root[1] = -cosine[index - n / 2];
    } else {
        root[0] = -cosine[index - n];
        root[1] = cosine[n + n / 2 - index];
    }
}

static void column(int32_t *x, const int32_t *end, uint32_t length, const int32_t twiddles[6]) {
    switch (length) {
    case 4:
        isopod_fft32_column_4(x, end, twiddles);
        break;
    case 16:
        isopod_fft32_column_16(x, end, twiddles);
        break;
    case 64:
        isopod_fft32_column_64(x, end, twiddles);
        break;
    default:
        isopod_fft32_column_any(x, end, twiddles, 8 * length);
    }
}

static void transform(int32_t *x, const int32_t *cosine, uint32_t n) {
    const int32_t *end = x + n / 2;
    uint32_t points = n / 4, length = 4;
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, end);
        length = 2;
    } else {
        isopod_fft32_first(x, end);
    }
    for (; length < points; length *= 4) {
        for (uint32_t t = 0, step = 0; t < length; t++, step += n / (2 * length)) {
            int32_t twiddles[6];
            unit_root(twiddles, cosine, n, step);
            unit_root(twiddles + 2, cosine, n, 2 * step);
            unit_root(twiddles + 4, cosine, n, 3 * step);
            column(x + 2 * t, end, length, twiddles);
        }
    }
}
#endif

/* floor((a*b + c*d + e*g + h*i) / 2^(32 + f) + offset / 2^32); f and `unit`, 2^f, stand around. */
#define ROUNDED(offset, a, b, c, d, e, g, h, i)                                                    \
    ((int32_t)(((int64_t)((uint64_t)(offset)*unit) + (int64_t)(a) * (b) + (int64_t)(c) * (d) +     \
                (int64_t)(e) * (g) + (int64_t)(h) * (i)) >>                                        \
               32) >>                                                                              \
     f)

/* m_k, m_{n/2-k} to x and m_k', m_{n/2-k'} to y, k' = n/4 - k. */
static inline void untwist_pair(int32_t *x, const int32_t *cosine, uint32_t n, uint32_t k,
                                const isopod_dither *dither) {
    const unsigned f = dither->shift;
    const uint32_t unit = 1u << f;
    const int64_t half30 = (int64_t)1 << 29;
    int32_t *y = x + 2 * (n / 4 - k);
    x += 2 * k;
    const int32_t s_re = x[0] + y[0], s_im = x[1] - y[1];
    const int32_t d_re = x[0] - y[0], d_im = x[1] + y[1];
    const int32_t t_re = cosine[4 * k], t_sin = cosine[n / 2 - 4 * k];
    const int32_t q_re = (int32_t)((half30 + (int64_t)d_re * t_re + (int64_t)d_im * t_sin) >> 30);
    const int32_t q_im = (int32_t)((half30 + (int64_t)-d_re * t_sin + (int64_t)d_im * t_re) >> 30);
    const int32_t c = cosine[k], s = cosine[n / 2 - k];
    x[0] = ROUNDED(isopod_dither_at(dither, k, 0), s_re, c, q_im, c, s_im, s, -q_re, s);
    x[1] = ROUNDED(isopod_dither_at(dither, k, 1), s_re, s, q_im, s, -s_im, c, q_re, c);
    const int32_t c2 = cosine[n / 4 - k], s2 = cosine[n / 4 + k];
    y[0] = ROUNDED(isopod_dither_at(dither, k, 2), s_re, c2, -q_im, c2, -s_im, s2, -q_re, s2);
    y[1] = ROUNDED(isopod_dither_at(dither, k, 3), s_re, s2, -q_im, s2, s_im, c2, q_re, c2);
}

/* Doubles the inputs at k = 0 and k = M/2, which the specification halves once less than others. */
static void post_twist(int32_t *x, const int32_t *cosine, uint32_t n, const isopod_dither *dither) {
    const unsigned f = dither->shift;
    const uint32_t unit = 1u << f;
    const int32_t re = x[0], im = x[1], one = cosine[0], diagonal = cosine[n / 4];
    x[0] = ROUNDED(isopod_dither_at(dither, 0, 0), re, one, re, one, im, one, im, one);
    x[1] = ROUNDED(isopod_dither_at(dither, 0, 1), re, diagonal, re, diagonal, -im, diagonal, -im,
                   diagonal);
    for (uint32_t k = FIRST_PAIR(x, cosine, n, dither); k < n / 8; k++) {
        untwist_pair(x, cosine, n, k, dither);
    }
    const int32_t c = cosine[n / 8], s = cosine[n / 2 - n / 8];
    int32_t *middle = x + n / 4;
    const int32_t m_re = middle[0], m_im = -middle[1];
    middle[0] = ROUNDED(isopod_dither_at(dither, 0, 2), m_re, c, m_re, c, m_im, s, m_im, s);
    middle[1] = ROUNDED(isopod_dither_at(dither, 0, 3), m_re, s, m_re, s, -m_im, c, -m_im, c);
}

void isopod_encode32(int32_t *message, const int32_t *cosine, const isopod_values *values,
                     const isopod_encoding *encoding) {
    uint32_t n = 1u << encoding->log2_ring_degree;
    unsigned f = (unsigned)(30 - encoding->log2_scale - encoding->log2_bound);
    load(message, values, encoding);
    transform(message, cosine, n);
    const isopod_dither dither = isopod_dither_draw(encoding->dither, n / 8, f);
    post_twist(message, cosine, n, &dither);
}

#if !ISOPOD_HAS(HELIUM)
/* Within a quarter of the coefficients the packed words go up or down in steps of two and have one
 * sign. The first coefficient of a quarter is an exception. */
void isopod_message32_add(const int32_t *message, uint32_t n, uint32_t first,
                          int32_t out[ISOPOD_FOLD_BLOCK]) {
    uint32_t m = n / 4, t = first & (m - 1), quarter = first / m;
    const int32_t exceptions[4] = {message[0], message[1], 0, -message[1]};
    int is_down = quarter & 1u;
    const int32_t *at = message + 2 * (is_down ? m - t : t) + (quarter == 1 || quarter == 2);
    int32_t negate = quarter >= 2 ? -1 : 0; /* (x ^ negate) - negate */
    uint32_t i = 0;
    if (t == 0) {
        out[0] += exceptions[quarter];
        at += is_down ? -2 : 2;
        i = 1;
    }
    for (; i < ISOPOD_FOLD_BLOCK; i++, at += is_down ? -2 : 2) {
        out[i] += (*at ^ negate) - negate;
    }
}
#endif

#endif
