/* The 32-bit decoder (spec/decryption.md, section 2): butterflies in fft32_columns.S, which
 * saturate words that are out of range and set the sticky flag Q, so that nothing overflows. */
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../encode/decode/decode.h"

#include "../../../base/memory.h"
#include "../../../ring/montgomery.h"

#define SATURATED (1u << 27) /* Q in APSR */

/* decode32_twist.S reads this struct. */
typedef struct {
    const int32_t *cosine, *sine; /* of k = 0 */
    uint32_t points, shift;       /* 32 - log2 of the points */
} isopod_decode32_places;

void isopod_decode32_twist(int32_t *folded, const int32_t *cosine, uint32_t half);
void isopod_decode32_join(int32_t *words, const int32_t *v, const isopod_decode32_places *places);
void isopod_fft32_inverse_first(int32_t *x, const int32_t *end);
void isopod_fft32_inverse_4(int32_t *x, const int32_t *end, const int32_t twiddles[6]);
void isopod_fft32_inverse_16(int32_t *x, const int32_t *end, const int32_t twiddles[6]);
void isopod_fft32_inverse_64(int32_t *x, const int32_t *end, const int32_t twiddles[6]);
void isopod_fft32_inverse_any(int32_t *x, const int32_t *end, const int32_t twiddles[6],
                              uint32_t bytes);

static inline void forget_saturation(void) {
    __asm__ volatile("msr APSR_nzcvq, %0" : : "r"(0) : "cc");
}

static inline uint32_t saturation(void) {
    uint32_t flags;
    __asm__ volatile("mrs %0, APSR" : "=r"(flags));
    return flags & SATURATED;
}

/* value within 29 bits */
static inline int32_t saturated(int32_t value) {
    __asm__ volatile("ssat %0, #29, %1" : "=r"(value) : "r"(value));
    return value;
}

static inline uint32_t reverse_bits(uint32_t v) {
    __asm__("rbit %0, %1" : "=r"(v) : "r"(v));
    return v;
}

/* The residue of |x| < q in (-q/2, q/2]. */
static inline int32_t centred(int32_t x, int32_t modulus, int32_t half) {
    x += modulus & (x >> 31);
    return x - (modulus & ((half - x) >> 31));
}

/* Differences D_k that are shifted to the left. */
static uint32_t fold_up(int32_t *x, const int32_t *high, const isopod_decoding *decoding,
                        const isopod_prime *prime) {
    const int32_t q = (int32_t)prime->modulus, half = q / 2, limit = 4 << decoding->magnitude;
    const int32_t up = ISOPOD_DECODE32_BITS - 1 - decoding->magnitude;
    uint32_t seen = 0;
    for (; x != high; x++, high--) {
        int32_t d = centred(*x, q, half) - centred(*high, q, half);
        seen |= (uint32_t)(d + limit);
        *x = (int32_t)((uint32_t)d << up);
    }
    return seen;
}

static uint32_t fold_down(int32_t *x, const int32_t *high, const isopod_decoding *decoding,
                          const isopod_prime *prime) {
    const int32_t q = (int32_t)prime->modulus, half = q / 2, limit = 4 << decoding->magnitude;
    const int32_t down = decoding->magnitude + 1 - ISOPOD_DECODE32_BITS;
    const int32_t below = (1 << (down - 1)) - 1;
    uint32_t seen = 0;
    for (; x != high; x++, high--) {
        int32_t d = centred(*x, q, half) - centred(*high, q, half);
        seen |= (uint32_t)(d + limit);
        *x = (d + below + ((d >> down) & 1)) >> down;
    }
    return seen;
}

/* D_0 = 2 m_0 is the difference of m_0 and -m_0, which is put in the unused place of m_{n/2}. */
uint32_t isopod_fold32(int32_t *x, const isopod_decoding *decoding, const isopod_prime *prime) {
    uint32_t n = decoding->n;
    int32_t first[3] = {x[0], 0, -x[0]};
    int is_up = decoding->magnitude < ISOPOD_DECODE32_BITS;
    uint32_t seen = is_up ? fold_up(x + 1, x + n - 1, decoding, prime)
                          : fold_down(x + 1, x + n - 1, decoding, prime);
    seen |= is_up ? fold_up(first, first + 2, decoding, prime)
                  : fold_down(first, first + 2, decoding, prime);
    x[0] = first[0];
    isopod_wipe(first, sizeof first);
    uint32_t refused = seen >> (decoding->magnitude + 3);
    ISOPOD_DECLASSIFY(refused);
    if (refused != 0) {
        isopod_wipe(x, (size_t)2 * n);
    }
    return refused;
}

/* (a*b + c*d + 2^29) >> 30 */
static inline int32_t rounded(int32_t a, int32_t b, int32_t c, int32_t d) {
    return (int32_t)((((int64_t)1 << 29) + (int64_t)a * b + (int64_t)c * d) >> 30);
}

/* X_k at the bit-reversed place of k, its parts exchanged. shift: 32 - log2 of the points. */
static inline void put(int32_t *words, uint32_t k, uint32_t shift, int32_t re, int32_t im) {
    int32_t *at = words + 2 * (reverse_bits(k) >> shift);
    at[0] = saturated(im);
    at[1] = saturated(re);
}

static void pre_twist(int32_t *words, int32_t *folded, const int32_t *cosine, uint32_t n) {
    uint32_t m = n / 4, shift = 33u - (uint32_t)__builtin_ctz(n / 2);
    const int32_t upper = rounded(folded[m], cosine[m], folded[m], cosine[m]);
    isopod_decode32_places places = {cosine, cosine + n / 2, m, shift};
    isopod_decode32_twist(folded, cosine, n / 2);
    put(words, 0, shift, folded[0] + upper, folded[0] - upper);
    put(words, m / 2, shift, 2 * folded[m / 2], -2 * folded[n / 2 - m / 2]);
    isopod_decode32_join(words, folded, &places);
}

static void radix2_pass(int32_t *x, const int32_t *end) {
    for (; x != end; x += 4) {
        int32_t a_re = x[0], a_im = x[1], b_re = x[2], b_im = x[3];
        x[0] = saturated(a_re + b_re), x[1] = saturated(a_im + b_im);
        x[2] = saturated(a_re - b_re), x[3] = saturated(a_im - b_im);
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
        isopod_fft32_inverse_4(x, end, twiddles);
        break;
    case 16:
        isopod_fft32_inverse_16(x, end, twiddles);
        break;
    case 64:
        isopod_fft32_inverse_64(x, end, twiddles);
        break;
    default:
        isopod_fft32_inverse_any(x, end, twiddles, 8 * length);
    }
}

static void transform(int32_t *x, const int32_t *cosine, uint32_t n) {
    const int32_t *end = x + n / 2;
    uint32_t points = n / 4, length = 4;
    if ((points & 0xaaaaaaaau) != 0) {
        radix2_pass(x, end);
        length = 2;
    } else {
        isopod_fft32_inverse_first(x, end);
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

uint32_t isopod_decode32(int32_t *words, int32_t *folded, const int32_t *cosine, uint32_t n) {
    forget_saturation();
    pre_twist(words, folded, cosine, n);
    transform(words, cosine, n);
    uint32_t refused = saturation();
    ISOPOD_DECLASSIFY(refused);
    return refused;
}

#endif
