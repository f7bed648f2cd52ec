/* Entropy from the generator of PSA Crypto: Mbed TLS, TF-M, a secure element, or nRF54L's CRACEN.
 * psa_crypto_init may be called any number of times; it fails where the seed does. */
#ifndef ISOPOD_PORT_ENTROPY_PSA_H
#define ISOPOD_PORT_ENTROPY_PSA_H

#include <psa/crypto.h>
#include <stddef.h>
#include <stdint.h>

static inline int isopod_entropy_psa(void *state, uint8_t *out, size_t length) {
    (void)state;
    return psa_crypto_init() == PSA_SUCCESS && psa_generate_random(out, length) == PSA_SUCCESS ? 0
                                                                                               : -1;
}

#endif
