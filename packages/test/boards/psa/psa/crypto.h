/* The generator of PSA Crypto. Faults: "start", "entropy". */
#ifndef PSA_CRYPTO_STAND_IN_H
#define PSA_CRYPTO_STAND_IN_H

#include <stdbool.h>

#include "memory.h"

typedef int32_t psa_status_t;
#define PSA_SUCCESS 0
#define PSA_ERROR_INSUFFICIENT_ENTROPY (-148)
#define PSA_ERROR_BAD_STATE (-137)

static bool psa_is_ready;

static inline psa_status_t psa_crypto_init(void) {
    psa_is_ready = !memory_has("start");
    return psa_is_ready ? PSA_SUCCESS : PSA_ERROR_INSUFFICIENT_ENTROPY;
}

static inline psa_status_t psa_generate_random(uint8_t *out, size_t length) {
    const bool is_sound = psa_is_ready && !memory_has("entropy") && memory_random(out, length) == 0;
    return is_sound       ? PSA_SUCCESS
           : psa_is_ready ? PSA_ERROR_INSUFFICIENT_ENTROPY
                          : PSA_ERROR_BAD_STATE;
}

#endif
