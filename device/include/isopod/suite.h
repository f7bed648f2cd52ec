/* Randomness suites (spec/ckks.md, section 2), which expand mask and noise from the seeds of a
 * root. */
#ifndef ISOPOD_SUITE_H
#define ISOPOD_SUITE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct isopod_suite isopod_suite;

extern const isopod_suite isopod_suite_chacha20;      /* the default: fastest */
extern const isopod_suite isopod_suite_shake256;      /* the conservative choice: Keccak only */
extern const isopod_suite isopod_suite_seal_shake256; /* mask = SEAL's own stream: a frame becomes a
                                                         SEAL seeded ciphertext */

#ifdef __cplusplus
}
#endif

#endif
