/* The header of a TFHE frame (spec/wire.md, section 6), written here alone: for the frame, and for
 * the hedge, which binds all of it. */
#ifndef ISOPOD_TFHE_HEADER_H
#define ISOPOD_TFHE_HEADER_H

#include "isopod/tfhe.h"

/* Writes the fields from the version up to the packing: everything that a frame says of itself and
 * of its values. The nonce is the context's, zeros before there is a root. Returns the place behind
 * them. */
uint8_t *isopod_tfhe_fields(uint8_t *out, const isopod_tfhe *tfhe);

#endif
