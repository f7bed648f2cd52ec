/* The mask of a TFHE ciphertext, 64 bytes at a time (spec/tfhe.md, section 2). All of it is public.
 */
#ifndef ISOPOD_TFHE_MASK_H
#define ISOPOD_TFHE_MASK_H

#include "../random/aes.h"
#include "isopod/tfhe_suite.h"
#include "../random/suite_block.h"

#define ISOPOD_TFHE_MASK_PIECE 16u /* words of 32 bits */

typedef struct {
    const isopod_tfhe_suite *suite;
    union {
        struct {
            uint8_t key[32];
            isopod_stream stream;
        } words;
        struct {
            uint32_t round_keys[ISOPOD_AES_KEY_WORDS];
            uint32_t counter;
        } aes;
    } source;
} isopod_tfhe_mask;

struct isopod_tfhe_suite {
    uint8_t id;
    const isopod_suite *noise; /* whose streams give noise, u and keys */
    void (*start)(isopod_tfhe_mask *mask, const uint8_t nonce[16], const uint8_t key_id[16]);
    /* The next `count` words of 32 bits, a multiple of ISOPOD_TFHE_MASK_PIECE. */
    void (*words)(isopod_tfhe_mask *mask, uint32_t *out, uint32_t count);
};

/* The functions `start` and `words` of suites whose mask is a stream of `noise`. */
void isopod_tfhe_mask_stream_start(isopod_tfhe_mask *mask, const uint8_t nonce[16],
                                   const uint8_t key_id[16]);
void isopod_tfhe_mask_stream_words(isopod_tfhe_mask *mask, uint32_t *out, uint32_t count);

static inline void isopod_tfhe_mask_start(isopod_tfhe_mask *mask, const isopod_tfhe_suite *suite,
                                          const uint8_t nonce[16], const uint8_t key_id[16]) {
    mask->suite = suite;
    suite->start(mask, nonce, key_id);
}

/* Writes the first `count` words of a mask. */
void isopod_tfhe_mask_expand(uint32_t *out, uint32_t count, const isopod_tfhe_suite *suite,
                             const uint8_t nonce[16], const uint8_t key_id[16]);

#endif
