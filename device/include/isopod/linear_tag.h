/* Linear tags (spec/verify.md): 8 bytes behind a frame of integers by which the owner of the key
 * checks that a sum of frames is the sum of just those frames. The server folds them with the
 * frames; they tell it nothing. A configuration that names a key gives all its frames a tag: of
 * rounded coefficients (rounded.h), from integers. The tag is computed while the values are read,
 * from a callback, too. Constant time on cores that multiply in constant time (not on a Cortex-M3).
 */
#ifndef ISOPOD_LINEAR_TAG_H
#define ISOPOD_LINEAR_TAG_H

#include <stdint.h>

#include "isopod/status.h"
#include "isopod/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The secrets that one device keeps for its tags: that of its group, which all devices of the group
 * have, and its own. Both change from period to period, by a function without a way back. Secret.
 */
typedef struct {
    uint8_t group[ISOPOD_LINEAR_SECRET_BYTES];
    uint8_t device[ISOPOD_LINEAR_SECRET_BYTES];
    uint32_t period;
} isopod_linear_secrets;

/* A key of pads, and those that are added to it. Members are private. It is only read. Secret. */
typedef struct isopod_linear_pad_key {
    const struct isopod_linear_pad_key *next; /* NULL: none */
    uint8_t key[ISOPOD_LINEAR_SECRET_BYTES];
} isopod_linear_pad_key;

/* The keys of one period. Members are private. It is only read: it may lie in flash, as the key of
 * a sender, and be shared. Secret. */
typedef struct isopod_linear_method isopod_linear_method;
typedef struct {
    const isopod_linear_method *method;
    uint32_t period;
    uint32_t point[2]; /* low word first */
    isopod_linear_pad_key pads;
} isopod_linear_key;

/* Derives the keys of the period. Frames get one tag, of 8 bytes, which proves sums and weighted
 * sums of frames. */
void isopod_linear_key_open(isopod_linear_key *key, const isopod_linear_secrets *secrets);
/* Likewise; frames get a second tag, of 8 bytes more, which proves sums of columns over all rows,
 * or the histogram of one-hot readings. */
void isopod_linear_key_open_columns(isopod_linear_key *key, const isopod_linear_secrets *secrets);

/* Hides every tag by the pads of one more holder as well, where several owners verify together
 * (spec/owners.md, section 7): of the secrets, that of the device counts. `pads` is filled, and
 * stays where it is as long as the key. ISOPOD_ERROR_STATE for secrets of another period; nothing
 * is changed then. */
ISOPOD_MUST_CHECK isopod_status isopod_linear_key_add_pads(isopod_linear_key *key,
                                                           isopod_linear_pad_key *pads,
                                                           const isopod_linear_secrets *secrets);

/* Replaces the secrets by those of the next period; they cannot be brought back. The caller stores
 * them in place of the old ones before it opens them. ISOPOD_ERROR_STATE after the last period,
 * 2^32 - 1; they are then unchanged. */
ISOPOD_MUST_CHECK isopod_status isopod_linear_secrets_advance(isopod_linear_secrets *secrets);

#ifdef __cplusplus
}
#endif

#endif
