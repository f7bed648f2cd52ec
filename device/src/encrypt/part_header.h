/* The header of a part of CKKS and BFV (spec/wire.md, section 1). Frame and hedge both take it from
 * here, so that the hedge covers every field of the frame's header. */
#ifndef ISOPOD_PART_HEADER_H
#define ISOPOD_PART_HEADER_H

#include "isopod/encryption.h"

/* The fields of a part that an encryption's configuration does not give. */
typedef struct {
    uint32_t part;
    uint32_t interleave;
    uint32_t stride;
    uint32_t rounding[3]; /* run, dropped bits of c0 and of c1 */
    uint32_t bytes;       /* length of the pieces */
} isopod_part_shape;

/* Writes the fields from the version up to the last one before the seed. They describe the frame
 * and its values. The nonce is the context's, zeros before the root exists. Returns the place
 * behind them. */
uint8_t *isopod_part_fields(uint8_t *out, const isopod_encryption *encryption,
                            const isopod_part_shape *shape);

/* Writes those fields, the seed, and the head of the pieces: at most ISOPOD_PART_HEADER_MOST bytes.
 */
uint8_t *isopod_part_header(uint8_t *out, const isopod_encryption *encryption,
                            const isopod_part_shape *shape);

#endif
