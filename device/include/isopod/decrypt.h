/* Decryption and decoding (spec/decryption.md) of CKKS and BFV results at one to three primes, in
 * fixed point. isopod_decrypt_result (isopod/result.h) takes authenticated results. The calls below
 * take bytes of unknown origin, and their names say so: an attacker who learns how the device
 * treats ciphertexts that he made himself learns the key. Never tell a sender whether or how
 * decryption failed. Constant time with respect to key and values, with one exception: a result is
 * refused if its values or its noise exceed their bounds. Each thread needs a context and a
 * workspace of its own; configurations and keys are only read. Stack: 1 KB on a Cortex-M4, 1.5 KB
 * with 64-bit primes. */
#ifndef ISOPOD_DECRYPT_H
#define ISOPOD_DECRYPT_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/key.h"
#include "isopod/linear_verifier.h"
#include "isopod/tables.h"
#include "isopod/values.h"
#include "isopod/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_DECRYPT_PRIMES 3u

/* Workspace bytes, compile-time: n ring degree; primes of the result, 1 .. ISOPOD_DECRYPT_PRIMES;
 * ternary 1 if the key is ternary, 0 if it is in NTT form. 4n for each prime, and 4n for the
 * transform of a ternary key. */
#define ISOPOD_DECRYPT_WORKSPACE(n, primes, ternary)                                               \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n)*4u * ((primes) + ((ternary) ? 1u : 0u)))

/* Workspace bytes for sets of 64-bit primes: 8n in place of 4n. */
#define ISOPOD64_DECRYPT_WORKSPACE(n, primes, ternary)                                             \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n)*8u * ((primes) + ((ternary) ? 1u : 0u)))

/* Decoders; a configuration names one, and only that one is linked.
 *   isopod_ckks_decode_lean   CKKS, 32-bit primes; results at one prime whose scale * bound is at
 *                             most 2^28
 *   isopod_ckks_decode        CKKS, 32-bit primes
 *   isopod_ckks_decode_coefficients  CKKS, one or two 32-bit primes, values in coefficients
 *   isopod64_ckks_decode      CKKS, 64-bit primes
 *   isopod_bfv_decode         BFV, 32-bit primes
 *   isopod64_bfv_decode       BFV, 64-bit primes */
typedef struct isopod_decoder isopod_decoder;
extern const isopod_decoder isopod_ckks_decode_lean;
extern const isopod_decoder isopod_ckks_decode;
extern const isopod_decoder isopod_ckks_decode_coefficients;
extern const isopod_decoder isopod64_ckks_decode;
extern const isopod_decoder isopod_bfv_decode;
extern const isopod_decoder isopod64_bfv_decode;

/* Everything that stays the same from one decryption to the next. It is only read: it may be const,
 * in flash, and shared by threads. */
typedef struct {
    const isopod_params *params;
    const isopod_tables *tables;
    const isopod_key *key; /* secret, of the same set */
    const isopod_decoder *decoder;
    int8_t log2_bound; /* CKKS, -60..57: every |value| <= 2^log2_bound; beyond twice that is
                          refused. BFV: 0 */
    uint8_t layout;    /* isopod_layout: ISOPOD_SLOTS, in BFV of repeated values, too; BFV,
                          ISOPOD_COEFFICIENTS; ISOPOD_COEFFICIENTS_ROUNDED, of which coefficients
                          beside the values are not looked at */
    const isopod_linear_verifier *verifier; /* NULL: results have no linear tags */
} isopod_decrypt_config;

/* The claims of a result. Value (r, c) is in slot first + stride*r + c, of n/2 slots in CKKS and n
 * in BFV, or in the coefficient of this number; values are written row by row. */
typedef struct {
    uint64_t scale; /* bits of a float64, 1 <= scale < 2^120; in BFV 1 */
    uint32_t first;
    uint32_t rows;
    uint32_t columns;
    uint32_t stride; /* at least columns */
    uint8_t primes;
} isopod_claim;

/* The destination of the values. Types: in CKKS float32, float64, int32 or int64; in BFV
 * ISOPOD_VALUES_INT32, -(t-1)/2 .. (t-1)/2, or ISOPOD_VALUES_UINT32, 0 .. t-1. */
typedef struct {
    void *data;        /* aligned for its type */
    uint32_t capacity; /* in values, at least the claim's rows * columns */
    isopod_value_type type;
} isopod_decoded;

/* One decryption in progress. Members are private; about 300 bytes on a 32-bit machine. */
typedef struct {
    const isopod_decrypt_config *config;
    const isopod_workspace *workspace;
    isopod_claim claim;
    uint32_t position; /* number of residues taken of this polynomial */
    uint32_t over;     /* its top bit is set if a residue was not below its prime */
    uint8_t prime;
    uint8_t component; /* 0: c0, 1: c1 */
    uint8_t held;      /* bytes of a group not yet complete */
    uint8_t state;
    uint8_t owner[ISOPOD_WORKSPACE_OWNER_BYTES];
    uint32_t group[60];
} isopod_decrypt;

/* Starts the decryption of bytes whose origin was not checked. The caller keeps the workspace in
 * place; it is wiped when the decryption ends, however it ends. Errors:
 * ISOPOD_ERROR_PARAMETERS, _KEY_SET, _KEY_KIND, _TABLES, _LEVEL, _SCALE, _BOUND, _COUNT,
 * _WORKSPACE; _LAYOUT if the decoder does not fit the set or cannot read the layout; _PLAIN_PRIME,
 * _PLAIN_CONGRUENCE. */
ISOPOD_MUST_CHECK isopod_status
isopod_decrypt_unauthenticated_begin(isopod_decrypt *context, const isopod_decrypt_config *config,
                                     const isopod_workspace *workspace, const isopod_claim *claim);

/* Takes the next bytes of c0, then of c1, for each prime in order (spec/wire.md, section 3), in
 * pieces of any length. Errors: ISOPOD_ERROR_STATE; ISOPOD_ERROR_LENGTH if there are too many,
 * after which everything is wiped. */
ISOPOD_MUST_CHECK isopod_status isopod_decrypt_unauthenticated_feed(isopod_decrypt *context,
                                                                    const uint8_t *bytes,
                                                                    size_t length);

/* Decodes, writes the claim's values and ends the decryption. On error all of out->data is zeroed.
 * Errors: ISOPOD_ERROR_STATE; _LENGTH if bytes are missing; _RESIDUE; _VALUE_TYPE; _COUNT; _BOUND
 * if the type cannot hold the bound; ISOPOD_ERROR_RESULT_BOUND if values are beyond the bound
 * (CKKS), or the noise beyond 7/8 of what can be corrected (BFV). */
ISOPOD_MUST_CHECK isopod_status isopod_decrypt_unauthenticated_finish(isopod_decrypt *context,
                                                                      const isopod_decoded *out);

/* Gives up a decryption: wipes workspace and context. Harmless at any time after begin. */
void isopod_decrypt_abort(isopod_decrypt *context);

#ifdef __cplusplus
}
#endif

#endif
