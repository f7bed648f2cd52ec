/* Key pairs of seeds that are known. */
#ifndef ISOPOD_SRC_KEY_PAIR_H
#define ISOPOD_SRC_KEY_PAIR_H

#include "isopod/key_pair.h"
#include "../base/word.h"
#include "../random/root.h"

/* isopod_key_pair_begin behind its checks and the call for entropy; `pair` is zeros. The stack is
 * not wiped. */
void isopod_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                           const isopod_key_seeds *seeds);
void isopod64_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                             const isopod_key_seeds *seeds);

/* What decides a pair: the secret key, as isopod_keygen_secret, and the n coefficients of the noise
 * of pk0. What is below them on the stack is not wiped. */
void isopod_keygen_ternary(uint32_t *ternary, const isopod_params *params, const uint8_t seed[32]);
void isopod_keygen_noise(int8_t *error, const isopod_params *params, const isopod_noise_key *key);

#endif
