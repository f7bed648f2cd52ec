/* Products modulo X^N + 1 by a Fourier transform of N/2 complex doubles, modulo X^(N/2) - i, for
 * machines with AVX2 and FMA. */
#ifndef ISOPOD_X86_FOURIER_H
#define ISOPOD_X86_FOURIER_H

#include "avx2.h"

#define ISOPOD_FOURIER __attribute__((noinline, target("avx2,bmi2,popcnt,fma")))
#define ISOPOD_FOURIER_INLINE                                                                      \
    static inline __attribute__((always_inline, target("avx2,bmi2,popcnt,fma")))

static inline int isopod_has_fourier(void) {
    return isopod_has_avx2() && __builtin_cpu_supports("fma");
}

/* Doubles of the roots of a transform of `half` points. */
#define ISOPOD_FOURIER_ROOTS(half) ((half)*2u)

/* Writes the roots of a transform of 512 or 1024 points. */
void isopod_fourier_roots(double *roots, uint32_t half);

/* The transform of `2 * half` integers to re[half], im[half], in an order that only the product
 * knows. */
void isopod_fourier_forward(double *points, const int32_t *digits, const double *roots,
                            uint32_t half);

/* points := digits * factor * half, where the factor was transformed by isopod_fourier_forward and
 * the roots are behind it. */
void isopod_fourier_multiply(double *points, const int32_t *digits, const double *factor,
                             uint32_t half);

#endif
