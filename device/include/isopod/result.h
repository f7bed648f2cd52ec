/* Sealed results (spec/wire.md, section 3). A result is authenticated first, then parsed strictly
 * and in place. Constant time with respect to the link key. Each thread needs a context and a
 * workspace of its own. Stack: see decrypt.h. */
#ifndef ISOPOD_RESULT_H
#define ISOPOD_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/decrypt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An authentic result. Members are read only; the item must stay in place, unchanged. The server
 * alone vouches for its statements. So an owner compares run, index and total of the items of one
 * evaluation, sequence with the previous evaluation, challenge and request with those that were
 * sent, and the manifest with the frames that were expected (spec/wire.md, section 3). */
typedef struct {
    const isopod_params *params;
    const uint8_t *key_id;    /* 16 bytes */
    const uint8_t *run;       /* 16 bytes, the same in all items of one evaluation */
    const uint8_t *challenge; /* 16 bytes; NULL: no challenge was given */
    const uint8_t *request;   /* 32 bytes: digest of the request */
    const uint8_t *job;       /* job_bytes of text, not terminated */
    const uint8_t *origin;    /* 32 bytes: digest of the manifest */
    const uint8_t *manifest;  /* manifest_bytes of CBOR, neither parsed nor compared with origin */
    const uint8_t *packing;   /* 16 bytes: what the columns are; NULL: not said */
    const uint8_t *c0;
    const uint8_t *c1;
    const uint8_t *linear_tag; /* 8 bytes; NULL: none */
    isopod_claim claim;
    uint64_t sequence; /* counts the server's evaluations */
    uint64_t frames;   /* number of frames that entered this item */
    uint64_t bound;    /* bits of a float64: largest |value|, positive and finite */
    uint64_t error;    /* bits of a float64: largest error at six deviations; 0 in BFV */
    uint32_t index;    /* number of the item in its evaluation, below total */
    uint32_t total;
    uint32_t manifest_bytes; /* 0: left out */
    uint32_t c0_bytes;
    uint32_t c1_bytes;
    uint8_t job_bytes;
    uint8_t layout;     /* isopod_layout: ISOPOD_SLOTS or ISOPOD_COEFFICIENTS_ROUNDED */
    uint8_t dropped[2]; /* low bits dropped from coefficients of c0 and c1 */
} isopod_result;

/* Checks the tag under the link key of owner and server, then every field. On error *result is
 * zeroed. Errors: ISOPOD_ERROR_AUTHENTICATION for an item that was not sealed under this key;
 * ISOPOD_ERROR_RESULT_FORMAT, _KEY_SET, _LEVEL, _SCALE, _COUNT, _ROUNDING for one that was, but is
 * invalid. */
ISOPOD_MUST_CHECK isopod_status isopod_result_open(isopod_result *result,
                                                   const isopod_params *params,
                                                   const uint8_t link_key[ISOPOD_LINK_KEY_BYTES],
                                                   const uint8_t *item, size_t bytes);

/* Decrypts an authentic result: begin, feed and finish in one call. A result in rounded
 * coefficients needs their layout in the configuration, a decoder that reads it, and no more
 * memory. A result with a linear tag needs a verifier in the configuration
 * (isopod/linear_verifier.h) and is proved before its values are given; with a verifier, results
 * without a tag are refused. Errors: those of the three; ISOPOD_ERROR_KEY_SET if the result is for
 * another key of the set; ISOPOD_ERROR_LAYOUT if only one of result and configuration has rounded
 * coefficients; ISOPOD_ERROR_NO_PROOF, _UNPROVED, with all of out->data zeroed. */
ISOPOD_MUST_CHECK isopod_status isopod_decrypt_result(isopod_decrypt *context,
                                                      const isopod_decrypt_config *config,
                                                      const isopod_workspace *workspace,
                                                      const isopod_result *result,
                                                      const isopod_decoded *out);

#ifdef __cplusplus
}
#endif

#endif
