/* The interface of a decoder, and the functions that the parts of decryption share
 * (spec/decryption.md). */
#ifndef ISOPOD_SRC_DECRYPT_H
#define ISOPOD_SRC_DECRYPT_H

#include "isopod/decrypt.h"
#include "../base/word.h"

/* Takes `groups` whole groups of packed residues, which end within the current polynomial. After
 * the last one of c1 the workspace holds c0 + c1*s modulo the prime, |x| < q, or with a multiplier
 * the residue of t*y of spec/decryption.md, section 3. A polynomial with residues out of range is
 * cleared; its result will be refused. */
void isopod_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);
void isopod64_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);

/* Answers in rounded coefficients (spec/coefficients.md, section 4): packed bytes of c0 at the
 * places of the claim, and packed bytes of c1. */
typedef struct {
    const uint8_t *c0, *c1;
    uint8_t dropped[2];
} isopod_rounded_answers;

/* Takes both polynomials, at one or two 32-bit primes, as isopod_decrypt_take does; of c0 + c1*s
 * only the places of the answers are complete. */
void isopod_decrypt_take_rounded(isopod_decrypt *context, const isopod_rounded_answers *answers);

/* Takes both after begin; finish comes next. The decoder takes rounded answers, and their lengths
 * are right. */
void isopod_decrypt_feed_rounded(isopod_decrypt *context, const isopod_rounded_answers *answers);

/* The interface of a decoder; the tables are in schemes/. */
struct isopod_decoder {
    uint8_t word_bytes; /* bytes of a residue in the workspace */
    /* Returns t. Residues are multiplied by it and divided by the other primes of the result. NULL:
     * residues are not changed. */
    uint32_t (*multiplier)(const isopod_params *params);
    /* Checks the set's scheme, the claims, bound, layout and tables; key and workspace are
     * valid. */
    isopod_status (*check)(const isopod_decrypt_config *config, const isopod_claim *claim);
    /* Whether values of this type can be written. */
    isopod_status (*check_type)(const isopod_decrypt_config *config, isopod_value_type type);
    void (*take)(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);
    /* isopod_decrypt_take_rounded, or NULL. */
    void (*take_rounded)(isopod_decrypt *context, const isopod_rounded_answers *answers);
    /* Writes the values; not zero if the result is refused. */
    uint32_t (*decode)(const isopod_decrypt *context, const isopod_decoded *out);
};

#endif
