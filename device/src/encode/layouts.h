/* CKKS encoding of complex slots and of coefficients (spec/ckks.md, sections 4.2 and 4.3). The same
 * source (layouts_template.h) is compiled for 32-bit and for 64-bit words. */
#ifndef ISOPOD_LAYOUTS_H
#define ISOPOD_LAYOUTS_H

#include "encode.h"

/* The messages are n words in the packed form of the specification; the values were checked. */
typedef struct {
    void (*encode_complex)(void *message, const void *cosine, const isopod_values *values,
                           const isopod_encoding *encoding);
    void (*encode_coefficients)(void *message, const isopod_values *values,
                                const isopod_encoding *encoding);
    void (*load_complex)(const isopod_polynomial *polynomial, uint32_t first,
                         int32_t out[ISOPOD_FOLD_BLOCK]);
    void (*load_coefficients)(const isopod_polynomial *polynomial, uint32_t first,
                              int32_t out[ISOPOD_FOLD_BLOCK]);
} isopod_layout_width;

/* What isopod_layouts and isopod_wide_layouts are. */
struct isopod_layout_encoder {
    const isopod_layout_width *narrow;
    const isopod_layout_width *wide; /* or NULL */
};

extern const isopod_layout_width isopod_layouts32, isopod_layouts64;

#endif
