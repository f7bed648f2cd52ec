/* Key pairs from given seeds (spec/ckks.md, section 7). */
#ifndef ISOPOD_SRC_KEY_PAIR_H
#define ISOPOD_SRC_KEY_PAIR_H

#include "isopod/key_pair.h"
#include "../base/word.h"
#include "../random/root.h"

/* isopod_key_pair_begin after its checks and the call for entropy; `pair` is all zeros. Does not
 * wipe the stack. */
void isopod_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                           const isopod_workspace *workspace, const isopod_key_seeds *seeds);
void isopod64_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                             const isopod_workspace *workspace, const isopod_key_seeds *seeds);

/* The two secrets of a pair: the ternary key of isopod_keygen_secret, and the n coefficients of the
 * error of pk0. They do not wipe the stack below them. */
void isopod_keygen_ternary(uint32_t *ternary, const isopod_params *params, const uint8_t seed[32]);
void isopod_keygen_noise(int8_t *error, const isopod_params *params, const isopod_noise_key *key);

#endif
