/* What the parts of decryption share, and what a decoder is. */
#ifndef ISOPOD_SRC_DECRYPT_H
#define ISOPOD_SRC_DECRYPT_H

#include "isopod/decrypt.h"
#include "../base/word.h"

/* `groups` whole groups of the polynomial that is next, which they do not go beyond. After the last
 * one of c1, c0 + c1*s of the prime is in the workspace, |x| < q; with a multiplier the residue of
 * t*y of spec/decryption.md, section 3. What has residues out of range is cleared, as it will be
 * refused.
 */
void isopod_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);
void isopod64_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);

/* What decryption asks of a scheme; its tables are in schemes/. */
struct isopod_decoder {
    uint8_t word_bytes; /* of a residue in the workspace */
    /* t, which residues are multiplied by, while they are divided by the other primes of the
     * result; NULL: they stay as they are. */
    uint32_t (*multiplier)(const isopod_params *params);
    /* Whether the set is of the scheme; the claims, bound, layout and tables. Key and workspace are
     * valid. */
    isopod_status (*check)(const isopod_decrypt_config *config, const isopod_claim *claim);
    /* Whether values of this type can be written. */
    isopod_status (*check_type)(const isopod_decrypt_config *config, isopod_value_type type);
    void (*take)(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);
    /* Writes the values; not zero if the result is refused. */
    uint32_t (*decode)(const isopod_decrypt *context, const isopod_decoded *out);
};

#endif
