/* Masks from streams of the noise's suite (spec/tfhe.md, section 2), keyed by nonce and key_id.
 * Public. */
#include "tfhe_mask.h"

#include "../base/memory.h"

void isopod_tfhe_mask_stream_start(isopod_tfhe_mask *mask, const uint8_t nonce[16],
                                   const uint8_t key_id[16]) {
    isopod_stream_name name = {ISOPOD_DOMAIN_MASK, 0};
    uint8_t *key = mask->source.words.key;
    isopod_copy(key, nonce, 16);
    isopod_copy(key + 16, key_id, 16);
    isopod_stream_start(&mask->source.words.stream, mask->suite->noise, key, name);
}

void isopod_tfhe_mask_stream_words(isopod_tfhe_mask *mask, uint32_t *out, uint32_t count) {
    isopod_stream_words(&mask->source.words.stream, out, count);
}

void isopod_tfhe_mask_expand(uint32_t *out, uint32_t count, const isopod_tfhe_suite *suite,
                             const uint8_t nonce[16], const uint8_t key_id[16]) {
    isopod_tfhe_mask mask;
    isopod_tfhe_mask_start(&mask, suite, nonce, key_id);
    suite->words(&mask, out, count);
}
