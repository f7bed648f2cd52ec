/* Products modulo X^N + 1 by a Fourier transform of N/2 complex doubles, modulo X^(N/2) - i, for
 * machines with AVX2 and FMA. */
#ifndef ISOPOD_X86_FOURIER_H
#define ISOPOD_X86_FOURIER_H

#include <stddef.h>

#include "../../../encode/cosine_roots.h"
#include "../base/avx2.h"

#define ISOPOD_FOURIER __attribute__((noinline, target("avx2,bmi2,popcnt,fma")))
#define ISOPOD_FOURIER_INLINE                                                                      \
    static inline __attribute__((always_inline, target("avx2,bmi2,popcnt,fma")))

static inline int isopod_has_fourier(void) {
    return isopod_has_avx2() && __builtin_cpu_supports("fma");
}

/* Angles in units of pi / 16384. */
#define PI_UNITS 16384u
#define QUARTER_TURN (PI_UNITS / 2u)

/* cos and sin, `stride` apart: a product of two factors within 2^-53 of their length, rounded, so
 * that the root is within 4.3 times that. */
static void put_root(double *at, uint32_t stride, uint32_t units) {
    const uint32_t quarters = units / QUARTER_TURN, rest = units % QUARTER_TURN;
    const int64_t *coarse = isopod_cosine_coarse[rest / 128u];
    const int64_t *fine = isopod_cosine_fine[rest % 128u];
    const double c = (double)coarse[0], s = (double)coarse[1];
    const double re = (c * (double)fine[0] - s * (double)fine[1]) * 0x1p-124;
    const double im = (c * (double)fine[1] + s * (double)fine[0]) * 0x1p-124;
    const double turned[4] = {re, im, -re, -im};
    at[0] = turned[(4u - quarters) % 4u];
    at[stride] = turned[(5u - quarters) % 4u];
}

/* The angle of c where block `block` of `blocks`, a power of four, is modulo X^k - c. */
static uint32_t angle_of(uint32_t block, uint32_t blocks) {
    static const uint16_t turns[4] = {0, PI_UNITS, PI_UNITS / 2u, PI_UNITS / 2u * 3u};
    uint32_t angle = PI_UNITS / 2u;
    for (blocks /= 4u; blocks > 0; blocks /= 4u) {
        angle = angle / 4u + turns[block / blocks % 4u];
    }
    return angle;
}

/* Roots w1, w2, w1*w2 of two layers under c: w1 = c^(1/2), w2 = c^(1/4). */
static void put_triple(double *at, uint32_t stride, uint32_t angle) {
    put_root(at, stride, angle / 2u);
    put_root(at + 2 * stride, stride, angle / 4u);
    put_root(at + 4 * stride, stride, angle / 2u + angle / 4u);
}

/* Writes the roots of a transform of 512 or 1024 points. */
static void isopod_fourier_roots(double *roots, uint32_t half) {
    uint32_t blocks = 1;
    for (; half / blocks > 8u; blocks *= 4u) {
        for (uint32_t b = 0; b < blocks; b++, roots += 6) {
            put_triple(roots, 1, angle_of(b, blocks));
        }
    }
    uint32_t is_odd = half / blocks == 8u;
    for (uint32_t b = 0; is_odd && b < blocks; b++, roots += 2) {
        put_root(roots, 1, angle_of(b, blocks) / 2u);
    }
    for (uint32_t b = 0; b < half / 4u; b++) {
        uint32_t angle =
            is_odd ? angle_of(b / 2u, blocks) / 2u + b % 2u * PI_UNITS : angle_of(b, half / 4u);
        put_triple(roots + b / 4u * 24u + b % 4u, 4, angle);
    }
}

typedef struct {
    __m256d re, im;
} four;

ISOPOD_FOURIER_INLINE four times(four a, four w) {
    four product = {_mm256_fmsub_pd(a.re, w.re, _mm256_mul_pd(a.im, w.im)),
                    _mm256_fmadd_pd(a.re, w.im, _mm256_mul_pd(a.im, w.re))};
    return product;
}

ISOPOD_FOURIER_INLINE four times_conjugate(four a, four w) {
    four product = {_mm256_fmadd_pd(a.re, w.re, _mm256_mul_pd(a.im, w.im)),
                    _mm256_fmsub_pd(a.im, w.re, _mm256_mul_pd(a.re, w.im))};
    return product;
}

ISOPOD_FOURIER_INLINE four plus(four a, four b) {
    four sum = {_mm256_add_pd(a.re, b.re), _mm256_add_pd(a.im, b.im)};
    return sum;
}

ISOPOD_FOURIER_INLINE four minus(four a, four b) {
    four difference = {_mm256_sub_pd(a.re, b.re), _mm256_sub_pd(a.im, b.im)};
    return difference;
}

/* a + i*b and a - i*b */
ISOPOD_FOURIER_INLINE four plus_turned(four a, four b) {
    four sum = {_mm256_sub_pd(a.re, b.im), _mm256_add_pd(a.im, b.re)};
    return sum;
}

ISOPOD_FOURIER_INLINE four minus_turned(four a, four b) {
    four difference = {_mm256_add_pd(a.re, b.im), _mm256_sub_pd(a.im, b.re)};
    return difference;
}

ISOPOD_FOURIER_INLINE four load(const double *points, uint32_t half) {
    four loaded = {_mm256_loadu_pd(points), _mm256_loadu_pd(points + half)};
    return loaded;
}

ISOPOD_FOURIER_INLINE void store(double *points, uint32_t half, four value) {
    _mm256_storeu_pd(points, value.re);
    _mm256_storeu_pd(points + half, value.im);
}

ISOPOD_FOURIER_INLINE four spread(const double *root) {
    four value = {_mm256_broadcast_sd(root), _mm256_broadcast_sd(root + 1)};
    return value;
}

/* Two layers; the fourth root of -c is i times that of c. */
ISOPOD_FOURIER_INLINE void split(four x[4], const four w[3]) {
    four t2 = times(x[2], w[0]), u1 = times(x[1], w[1]), u3 = times(x[3], w[2]);
    four even = plus(x[0], t2), odd = minus(x[0], t2);
    four sum = plus(u1, u3), difference = minus(u1, u3);
    x[0] = plus(even, sum);
    x[1] = minus(even, sum);
    x[2] = plus_turned(odd, difference);
    x[3] = minus_turned(odd, difference);
}

ISOPOD_FOURIER_INLINE void join(four x[4], const four w[3]) {
    four even = plus(x[0], x[1]), sum = minus(x[0], x[1]);
    four odd = plus(x[2], x[3]), difference = minus(x[2], x[3]);
    x[0] = plus(even, odd);
    x[2] = times_conjugate(minus(even, odd), w[0]);
    x[1] = times_conjugate(minus_turned(sum, difference), w[1]);
    x[3] = times_conjugate(plus_turned(sum, difference), w[2]);
}

ISOPOD_FOURIER_INLINE void transpose(__m256d *a, __m256d *b, __m256d *c, __m256d *d) {
    __m256d ab_low = _mm256_unpacklo_pd(*a, *b), ab_high = _mm256_unpackhi_pd(*a, *b);
    __m256d cd_low = _mm256_unpacklo_pd(*c, *d), cd_high = _mm256_unpackhi_pd(*c, *d);
    *a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
    *b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
    *c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
    *d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}

ISOPOD_FOURIER_INLINE void transpose_four(four x[4]) {
    transpose(&x[0].re, &x[1].re, &x[2].re, &x[3].re);
    transpose(&x[0].im, &x[1].im, &x[2].im, &x[3].im);
}

ISOPOD_FOURIER_INLINE four load_digits(const int32_t *digits, uint32_t half) {
    four loaded = {_mm256_cvtepi32_pd(_mm_loadu_si128((const void *)digits)),
                   _mm256_cvtepi32_pd(_mm_loadu_si128((const void *)(digits + half)))};
    return loaded;
}

/* The first pass, from digits. */
ISOPOD_FOURIER_INLINE void split_digits(double *points, const int32_t *digits, const double *roots,
                                        uint32_t half) {
    const four w[3] = {spread(roots), spread(roots + 2), spread(roots + 4)};
    const uint32_t quarter = half / 4;
    for (uint32_t i = 0; i < quarter; i += 4) {
        four x[4] = {load_digits(digits + i, half), load_digits(digits + quarter + i, half),
                     load_digits(digits + (size_t)2 * quarter + i, half),
                     load_digits(digits + (size_t)3 * quarter + i, half)};
        split(x, w);
#pragma GCC unroll 16
        for (uint32_t k = 0; k < 4; k++) {
            store(points + (size_t)k * quarter + i, half, x[k]);
        }
    }
}

/* A pass with quarters of at least four points; function: split or join. */
#define PASS(function, points, roots, half, quarter)                                               \
    do {                                                                                           \
        const double *root_ = (roots);                                                             \
        for (double *at_ = (points); at_ != (points) + (half); at_ += 3 * (quarter), root_ += 6) { \
            const four w_[3] = {spread(root_), spread(root_ + 2), spread(root_ + 4)};              \
            for (const double *end_ = at_ + (quarter); at_ != end_; at_ += 4) {                    \
                four x_[4] = {load(at_, half), load(at_ + (quarter), half),                        \
                              load(at_ + 2 * (quarter), half), load(at_ + 3 * (quarter), half)};   \
                function(x_, w_);                                                                  \
                store(at_, half, x_[0]);                                                           \
                store(at_ + (quarter), half, x_[1]);                                               \
                store(at_ + 2 * (quarter), half, x_[2]);                                           \
                store(at_ + 3 * (quarter), half, x_[3]);                                           \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* The last three layers of 16 points, or the last two, to four blocks of four in columns. */
ISOPOD_FOURIER_INLINE void split_last(four x[4], const double *at, const double *single,
                                      const four w[3], uint32_t half) {
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 4; i++) {
        x[i] = load(at + (size_t)4 * i, half);
    }
    if (single != NULL) {
        four a = times(x[1], spread(single)), b = times(x[3], spread(single + 2));
        x[1] = minus(x[0], a);
        x[0] = plus(x[0], a);
        x[3] = minus(x[2], b);
        x[2] = plus(x[2], b);
    }
    transpose_four(x);
    split(x, w);
}

ISOPOD_FOURIER_INLINE void join_last(double *at, four x[4], const double *single, const four w[3],
                                     uint32_t half) {
    join(x, w);
    transpose_four(x);
    if (single != NULL) {
        four a = minus(x[0], x[1]), b = minus(x[2], x[3]);
        x[0] = plus(x[0], x[1]);
        x[1] = times_conjugate(a, spread(single));
        x[2] = plus(x[2], x[3]);
        x[3] = times_conjugate(b, spread(single + 2));
    }
#pragma GCC unroll 16
    for (uint32_t i = 0; i < 4; i++) {
        store(at + (size_t)4 * i, half, x[i]);
    }
}

/* The innermost layers of all points; between them, where there is a factor, the product and the
 * way back. */
ISOPOD_FOURIER_INLINE void inmost(double *points, const double *factor, const double *single,
                                  const double *roots, uint32_t half) {
    for (uint32_t i = 0; i < half; i += 16, roots += 24) {
        const four w[3] = {load(roots, 4), load(roots + 8, 4), load(roots + 16, 4)};
        four x[4];
        const double *own = single != NULL ? single + i / 4 : NULL;
        split_last(x, points + i, own, w, half);
#pragma GCC unroll 16
        for (uint32_t k = 0; k < 4; k++) {
            if (factor == NULL) {
                store(points + i + (size_t)4 * k, half, x[k]);
            } else {
                x[k] = times(x[k], load(factor + i + (size_t)4 * k, half));
            }
        }
        if (factor != NULL) {
            join_last(points + i, x, own, w, half);
        }
    }
}

ISOPOD_FOURIER_INLINE void transform512(double *points, const int32_t *digits, const double *factor,
                                        const double *roots) {
    const double *single = roots + 6 * 21;
    split_digits(points, digits, roots, 512);
    PASS(split, points, roots + 6, 512, 32);
    PASS(split, points, roots + 6 * 5, 512, 8);
    inmost(points, factor, single, single + 2 * 64, 512);
    if (factor != NULL) {
        PASS(join, points, roots + 6 * 5, 512, 8);
        PASS(join, points, roots + 6, 512, 32);
        PASS(join, points, roots, 512, 128);
    }
}

ISOPOD_FOURIER_INLINE void transform1024(double *points, const int32_t *digits,
                                         const double *factor, const double *roots) {
    split_digits(points, digits, roots, 1024);
    PASS(split, points, roots + 6, 1024, 64);
    PASS(split, points, roots + 6 * 5, 1024, 16);
    PASS(split, points, roots + 6 * 21, 1024, 4);
    inmost(points, factor, NULL, roots + 6 * 85, 1024);
    if (factor != NULL) {
        PASS(join, points, roots + 6 * 21, 1024, 4);
        PASS(join, points, roots + 6 * 5, 1024, 16);
        PASS(join, points, roots + 6, 1024, 64);
        PASS(join, points, roots, 1024, 256);
    }
}

/* Transforms `2 * half` integers to re[half], im[half], in an order of its own, which the product
 * undoes. */
ISOPOD_FOURIER static void isopod_fourier_forward(double *points, const int32_t *digits,
                                                  const double *roots, uint32_t half) {
    if (half == 512) {
        transform512(points, digits, NULL, roots);
    } else {
        transform1024(points, digits, NULL, roots);
    }
}

/* points := digits * factor * half, where the factor was transformed by isopod_fourier_forward with
 * these roots. */
ISOPOD_FOURIER static void isopod_fourier_multiply(double *points, const int32_t *digits,
                                                   const double *factor, const double *roots,
                                                   uint32_t half) {
    if (half == 512) {
        transform512(points, digits, factor, roots);
    } else {
        transform1024(points, digits, factor, roots);
    }
}

#endif
