/* The parts that all decoders of CKKS share (spec/decryption.md, section 2). */
#ifndef ISOPOD_DECODE_REALS_H
#define ISOPOD_DECODE_REALS_H

#include "../encode/decode/decode.h"
#include "../decrypt/decrypt.h"
#include "claim.h"

/* The `check` of the decoders: the set, the claims, the layout, and whether L is within the
 * modulus. */
isopod_status isopod_reals_check(const isopod_decrypt_config *config, const isopod_claim *claim);
isopod_status isopod_reals_check_type(const isopod_decrypt_config *config, isopod_value_type type);

/* The parameters of fold and slots of a decryption whose residues are complete. */
isopod_decoding isopod_reals_decoding(const isopod_decrypt *context);
isopod_slots isopod_reals_slots(const isopod_decrypt *context, isopod_value_type type);

/* Writes the values of folded words, with n/2 words of free memory; not zero if they are
 * refused. */
uint32_t isopod_reals_finish32(const isopod_decrypt *context, const isopod_decoded *out,
                               int32_t *words, int32_t *folded);

#endif
