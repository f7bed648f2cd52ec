/* The state of an authentication tag (spec/wire.md, section 2). */
#ifndef ISOPOD_TAG_H
#define ISOPOD_TAG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Part of the contexts of frames. Members are private. */
typedef struct {
    uint32_t accumulator[5];
    uint32_t multiplier[4];
    uint32_t addend[4];
    uint32_t authenticated; /* bytes taken into the tag */
    uint8_t block[16];
} isopod_tag;

#ifdef __cplusplus
}
#endif

#endif
