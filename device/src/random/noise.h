/* Errors and ternary polynomials of a seed, each from the stream of its domain (spec/ckks.md,
 * section 2). */
#ifndef ISOPOD_NOISE_H
#define ISOPOD_NOISE_H

#include "suite_block.h"

typedef struct {
    const isopod_suite *suite;
    const uint8_t *seed; /* 32 bytes, secret */
    enum isopod_domain domain;
} isopod_noise_source;

/* Writes the first `count` words of the stream; the rest as below. */
void isopod_noise_words(uint32_t *out, uint32_t count, const isopod_noise_source *source);

/* Write n errors as isopod_sample_error does, and n ternary coefficients as isopod_sample_ternary
 * does. They wipe the stream, but not the stack below it. */
void isopod_noise_error(int8_t *out, uint32_t n, const isopod_noise_source *source);
void isopod_noise_ternary(uint32_t *out, uint32_t n, const isopod_noise_source *source);

#endif
