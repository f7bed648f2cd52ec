/* The default suite of TFHE (spec/tfhe.md, section 2): mask and noise from ChaCha20. */
#include "tfhe_mask.h"

const isopod_tfhe_suite isopod_tfhe_chacha20 = {ISOPOD_SUITE_CHACHA20, &isopod_suite_chacha20,
                                                isopod_tfhe_mask_stream_start,
                                                isopod_tfhe_mask_stream_words};
