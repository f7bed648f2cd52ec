/* Errors of TFHE (spec/tfhe.md, sections 3.1 and 3.2), 32 at a time, constant time. */
#ifndef ISOPOD_ERROR_H
#define ISOPOD_ERROR_H

#include "isopod/tfhe_params.h"

#define ISOPOD_ERROR_GROUP 32u
/* Random words of a group of Gaussians; of TUniform(b) it is b + 2. */
#define ISOPOD_GAUSSIAN_WORDS 96u

/* Words behind those of a group that vector loads may touch. */
#if UINTPTR_MAX > UINT32_MAX
#define ISOPOD_ERROR_READ_BEHIND 4u
#else
#define ISOPOD_ERROR_READ_BEHIND 0u
#endif

/* Draws 32 errors from TUniform(log2_bound), log2_bound 8 or 17. */
void isopod_error_tuniform(int32_t out[ISOPOD_ERROR_GROUP], uint32_t log2_bound,
                           const uint32_t *words);
uint32_t isopod_native_error_tuniform(int32_t out[ISOPOD_ERROR_GROUP], uint32_t log2_bound,
                                      const uint32_t *words);

/* Draws 32 errors from the Gaussian of standard deviation 128; out may be words. */
void isopod_error_gaussian(int32_t out[ISOPOD_ERROR_GROUP],
                           const uint32_t words[ISOPOD_GAUSSIAN_WORDS]);
uint32_t isopod_native_error_gaussian(int32_t out[ISOPOD_ERROR_GROUP],
                                      const uint32_t words[ISOPOD_GAUSSIAN_WORDS]);

/* Working words before those of the groups in `random` of isopod_errors_add. */
/*@ requires \valid_read(params);
    assigns \nothing;
    ensures \result == 0 || params->tuniform != 0; */
static inline uint32_t isopod_errors_room(const isopod_tfhe_params *params) {
    return params->tuniform != 0 ? ISOPOD_ERROR_GROUP : 0;
}

/* words[i] += e_i + m_i for `groups` groups of words of the set's modulus. Errors have the set's
 * distribution and come from `random`, whose groups follow the working words; `random` may be
 * overwritten. blocks: two words of 16 fields of two bits for each group, or NULL for no message.
 */
void isopod_errors_add(void *words, uint32_t *random, uint32_t groups, const uint32_t *blocks,
                       const isopod_tfhe_params *params);
uint32_t isopod_native_errors_add(void *words, uint32_t *random, uint32_t groups,
                                  const uint32_t *blocks, const isopod_tfhe_params *params);

#endif
