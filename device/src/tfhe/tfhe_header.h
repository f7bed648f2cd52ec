/* The header of a TFHE frame (spec/wire.md, section 6). Frame and hedge both take it from here, so
 * that the hedge covers every field. */
#ifndef ISOPOD_TFHE_HEADER_H
#define ISOPOD_TFHE_HEADER_H

#include "isopod/tfhe.h"

/* Writes the fields from the version up to the packing, which describe the frame and its values.
 * The nonce is the context's, zeros before the root exists. Returns the place behind them. */
uint8_t *isopod_tfhe_fields(uint8_t *out, const isopod_tfhe *tfhe);

#endif
