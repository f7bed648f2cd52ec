/* Entropy that JavaScript took from its generator: 32 bytes, given once. */
#ifndef ISOPOD_WEB_ENTROPY_H
#define ISOPOD_WEB_ENTROPY_H

#include "isopod/entropy.h"

typedef struct {
    uint8_t bytes[ISOPOD_ENTROPY_BYTES];
    uint8_t is_fresh;
} given_bytes;

/* Takes fresh bytes and wipes those at `from`. */
void entropy_give(given_bytes *given, isopod_entropy *entropy, uint8_t *from);

#endif
