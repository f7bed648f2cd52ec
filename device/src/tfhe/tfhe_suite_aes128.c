/* The suite whose mask is that of tfhe-rs ([TFHERS18]; spec/tfhe.md, section 2): AES-128 in counter
 * mode ([SP80038A01]). */
#include "tfhe_mask.h"

static void start(isopod_tfhe_mask *mask, const uint8_t nonce[16], const uint8_t key_id[16]) {
    (void)key_id;
    isopod_aes128_expand(mask->source.aes.round_keys, nonce);
    mask->source.aes.counter = 0;
}

static void words(isopod_tfhe_mask *mask, uint32_t *out, uint32_t count) {
    isopod_aes128_counter(out, mask->source.aes.round_keys, mask->source.aes.counter, count / 4u);
    mask->source.aes.counter += count / 4u;
}

const isopod_tfhe_suite isopod_tfhe_aes128 = {ISOPOD_SUITE_AES128, &isopod_suite_chacha20, start,
                                              words};
