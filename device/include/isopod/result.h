/* Sealed results (spec/wire.md, section 3): authenticated first, then parsed strictly, in place. */
#ifndef ISOPOD_RESULT_H
#define ISOPOD_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/decrypt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An authentic result. Members are read only; the item must stay where it is, unchanged. */
typedef struct {
    const isopod_params *params;
    const uint8_t *key_id; /* 16 bytes */
    const uint8_t *job;    /* job_bytes of text, not terminated */
    const uint8_t *c0;
    const uint8_t *c1;
    isopod_claim claim;
    uint32_t residue_bytes; /* of c0, and of c1 */
    uint8_t job_bytes;
} isopod_result;

/* Checks the tag under the link key of owner and server, then every field. On error *result is
 * zeroed. Errors: ISOPOD_ERROR_AUTHENTICATION for whatever was not sealed under this key;
 * ISOPOD_ERROR_RESULT_FORMAT, _KEY_SET, _LEVEL, _SCALE, _COUNT for what was, but should not. */
ISOPOD_MUST_CHECK isopod_status isopod_result_open(isopod_result *result,
                                                   const isopod_params *params,
                                                   const uint8_t link_key[ISOPOD_LINK_KEY_BYTES],
                                                   const uint8_t *item, size_t bytes);

/* Decrypts an authentic result: begin, feed and finish in one. Errors: theirs, and
 * ISOPOD_ERROR_KEY_SET if it is meant for another key of the set. */
ISOPOD_MUST_CHECK isopod_status isopod_decrypt_result(isopod_decrypt *context,
                                                      const isopod_decrypt_config *config,
                                                      const isopod_result *result,
                                                      const isopod_decoded *out);

#ifdef __cplusplus
}
#endif

#endif
