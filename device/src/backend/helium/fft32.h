/* Steps of the 32-bit encoder (armv7em/encode/encode32_armv7em.c) in vectors. */
#ifndef ISOPOD_HELIUM_FFT32_H
#define ISOPOD_HELIUM_FFT32_H

#include "../../encode/encode.h"

/* Writes values->count slots of float32, a multiple of four, to their places. */
void isopod_helium_load_float32(int32_t *words, const isopod_values *values,
                                const isopod_encoding *encoding);

/* Computes the transform of n/4 complex points in place (spec/ckks.md, section 4). */
void isopod_helium_fft32(int32_t *x, const int32_t *cosine, uint32_t n);

/* Computes the pairs k and n/4 - k of the last twist from k = 1 on, four at a time, and returns the
 * first k that is left. */
uint32_t isopod_helium_untwist_pairs(int32_t *x, const int32_t *cosine, uint32_t n,
                                     const isopod_dither *dither);

#endif
