/* The conservative suite of TFHE (spec/tfhe.md, section 2): mask and noise from SHAKE-256. */
#include "tfhe_mask.h"

const isopod_tfhe_suite isopod_tfhe_shake256 = {ISOPOD_SUITE_SHAKE256, &isopod_suite_shake256,
                                                isopod_tfhe_mask_stream_start,
                                                isopod_tfhe_mask_stream_words};
