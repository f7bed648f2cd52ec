/* Key pairs of seeds that are known. */
#ifndef ISOPOD_SRC_KEY_PAIR_H
#define ISOPOD_SRC_KEY_PAIR_H

#include "isopod/key_pair.h"
#include "limb.h"
#include "root.h"

/* isopod_key_pair_begin behind its checks and the call for entropy; `pair` is zeros. */
void isopod_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                           const isopod_key_seeds *seeds);
void isopod_wide_key_pair_start(isopod_key_pair *pair, const isopod_key_pair_config *config,
                                const isopod_key_seeds *seeds);

/* What decides a pair beside its secret key: the n coefficients of the noise of pk0. */
void isopod_keygen_noise(int8_t *error, const isopod_params *params, const isopod_noise_key *key);

#endif
