/* Ternary secret keys opened for packets alone, so that no other encryption is linked. Constant
 * time with respect to the key. */
#undef ISOPOD_ALLOW_DEVICE_SECRET_KEY
#define ISOPOD_ALLOW_DEVICE_SECRET_KEY 1
#include "isopod/packet.h"

#include "../base/memory.h"
#include "../base/parameters.h"
#include "../base/program_memory.h"
#include "blob.h"

static isopod_status give(isopod_key *key, const isopod_params *params, const uint32_t *blob,
                          isopod_status status) {
    const isopod_key opened = {params, NULL, blob, ISOPOD_KEY_SECRET_TERNARY};
    isopod_wipe(key, sizeof *key);
    if (status == ISOPOD_OK) {
        *key = opened;
    }
    return status;
}

#if !ISOPOD_HAS_PROGRAM_MEMORY
isopod_status isopod_packet_key_open(isopod_key *key, const isopod_params *params,
                                     const uint32_t *blob, size_t bytes) {
    isopod_status status = isopod_blob_check(params, blob, bytes);
    isopod_wipe_stack();
    if (status == ISOPOD_OK && blob[ISOPOD_KEY_WORD_KIND] != ISOPOD_KEY_SECRET_TERNARY) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    return give(key, params, blob, status);
}
#endif

/* Whether no coefficient is the fourth symbol. */
static uint32_t has_valid_symbols(const uint8_t *symbols, uint32_t bytes) {
    uint8_t seen = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        uint8_t byte = isopod_program_byte(symbols + i);
        seen |= byte & (uint8_t)(byte >> 1) & 0x55u;
    }
    ISOPOD_DECLASSIFY(seen);
    return seen == 0;
}

isopod_status isopod_packet_key_embed(isopod_key *key, const isopod_params *params,
                                      const uint32_t *blob, size_t bytes) {
    uint32_t header[ISOPOD_KEY_HEADER_BYTES / 4u];
    if (isopod_parameters_has_primes64(params)) {
        return give(key, params, blob, ISOPOD_ERROR_PARAMETERS);
    }
    if (bytes < sizeof header) {
        return give(key, params, blob, ISOPOD_ERROR_KEY_FORMAT);
    }
    isopod_program_copy((uint8_t *)header, (const uint8_t *)blob, sizeof header);
    isopod_status status = isopod_blob_check_header(params, header, bytes);
    if (status == ISOPOD_OK && header[ISOPOD_KEY_WORD_KIND] != ISOPOD_KEY_SECRET_TERNARY) {
        status = ISOPOD_ERROR_KEY_KIND;
    }
    if (status == ISOPOD_OK && !has_valid_symbols((const uint8_t *)blob + sizeof header,
                                                  (uint32_t)(bytes - sizeof header))) {
        status = ISOPOD_ERROR_KEY_FORMAT;
    }
    return give(key, params, blob, status);
}
