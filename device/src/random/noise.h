/* Noise and small keys of a seed, each from the stream of its domain. */
#ifndef ISOPOD_NOISE_H
#define ISOPOD_NOISE_H

#include "suite_block.h"

typedef struct {
    const isopod_suite *suite;
    const uint8_t *seed; /* 32 bytes, secret */
    enum isopod_domain domain;
} isopod_noise_source;

/* n errors, as isopod_sample_error; n ternary coefficients, as isopod_sample_ternary. The stream is
 * wiped, what is below it on the stack is not. */
void isopod_noise_error(int8_t *out, uint32_t n, const isopod_noise_source *source);
void isopod_noise_ternary(uint32_t *out, uint32_t n, const isopod_noise_source *source);

#endif
