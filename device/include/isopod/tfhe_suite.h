/* Randomness suites of TFHE (spec/tfhe.md, section 2), which expand mask and noise. */
#ifndef ISOPOD_TFHE_SUITE_H
#define ISOPOD_TFHE_SUITE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct isopod_tfhe_suite isopod_tfhe_suite;

extern const isopod_tfhe_suite isopod_tfhe_chacha20; /* the default: fastest */
extern const isopod_tfhe_suite isopod_tfhe_shake256; /* the conservative choice: Keccak only */
extern const isopod_tfhe_suite isopod_tfhe_aes128;   /* mask = the stream of tfhe-rs: a frame with
                                                        whole bodies is its seeded ciphertext */

#ifdef __cplusplus
}
#endif

#endif
