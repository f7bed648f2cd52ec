/* What the parts of decryption share, and what a decoder is. */
#ifndef ISOPOD_SRC_DECRYPT_H
#define ISOPOD_SRC_DECRYPT_H

#include "isopod/decrypt.h"
#include "../base/limb.h"

/* ISOPOD_OK, _LEVEL, _SCALE or _COUNT: what an answer may say about a result of the set. */
isopod_status isopod_answer_check(const isopod_params *params, const isopod_answer *answer);

/* c of spec/decryption.md, -1 if the scale (bits of a float64) is not allowed. */
int32_t isopod_log2_scale(uint64_t scale);

/* `groups` whole groups of the polynomial that is next, which they do not go beyond. After the last
 * one of c1, c0 + c1*s of the prime is in the workspace, |x| < q; in BFV the residue of t*y of
 * spec/decryption.md, section 3. What has residues out of range is cleared, as it will be refused.
 */
void isopod_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);
void isopod_wide_decrypt_take(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);

struct isopod_decoder {
    uint8_t limb_bytes; /* of a residue in the workspace */
    uint8_t is_integer; /* BFV */
    /* Bound, layout and tables; everything else is sound. */
    isopod_status (*check)(const isopod_decrypt_config *config, const isopod_answer *answer);
    /* Whether values of this type can be written. */
    isopod_status (*check_type)(const isopod_decrypt_config *config, isopod_value_type type);
    void (*take)(isopod_decrypt *context, const uint8_t *packed, uint32_t groups);
    /* Writes the values; not zero if the result is refused. */
    uint32_t (*decode)(const isopod_decrypt *context, const isopod_decoded *out);
};

#endif
