/* CKKS encode + encrypt (spec/ckks.md) as a pull interface: begin, then next until ISOPOD_DONE. The
 * caller owns all memory; the values may be overwritten as soon as begin has returned. One context
 * serves one encryption at a time; contexts are independent. Constant time with respect to values,
 * keys and noise (the ternary sampler's rejections depend on neither). */
#ifndef ISOPOD_CKKS_H
#define ISOPOD_CKKS_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/entropy.h"
#include "isopod/key.h"
#include "isopod/suite.h"
#include "isopod/tables.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_NONCE_BYTES 16u
#define ISOPOD_MASK_SEED_MAXIMUM 64u

/* log2_scale + log2_bound up to this is encoded in 32-bit fixed point, above it in 64-bit (2n more
 * bytes of workspace). */
#define ISOPOD_NARROW_BITS 30u

/* Workspace bytes, compile-time: n ring degree; chunks 1, 2, 4 or 8; wide 1 if log2_scale +
 * log2_bound > ISOPOD_NARROW_BITS. public key            m 2n or 4n, e0 n, e1 n, u n/4, two chunks
 * of 4n/chunks secret key, NTT       m 2n or 4n, e0 n, one chunk secret key, ternary   m 2n or 4n,
 * e0 n, two chunks */
#define ISOPOD_CKKS_MESSAGE_BYTES(n, wide) ((size_t)(n) * ((wide) ? 4u : 2u))
#define ISOPOD_CKKS_PUBLIC_WORKSPACE(n, chunks, wide)                                              \
    (ISOPOD_CKKS_MESSAGE_BYTES(n, wide) + (size_t)(n)*9u / 4u + (size_t)(n)*8u / (chunks))
#define ISOPOD_CKKS_SECRET_NTT_WORKSPACE(n, chunks, wide)                                          \
    (ISOPOD_CKKS_MESSAGE_BYTES(n, wide) + (size_t)(n) + (size_t)(n)*4u / (chunks))
#define ISOPOD_CKKS_SECRET_TERNARY_WORKSPACE(n, chunks, wide)                                      \
    (ISOPOD_CKKS_MESSAGE_BYTES(n, wide) + (size_t)(n) + (size_t)(n)*8u / (chunks))

/* The 64-bit encoder. It is linked only where a configuration names it. */
typedef struct isopod_wide_encoder isopod_wide_encoder;
extern const isopod_wide_encoder isopod_wide;

/* The fault check: noise and every chunk are computed twice and compared in constant time before a
 * byte is given away, for these decide whether a ciphertext can betray the key; different outcomes
 * end the encryption with ISOPOD_ERROR_FAULT. It notices what happens to one computation (a glitch,
 * a flipped bit, a skipped call), not what happens alike to both: a damaged table or key, or a
 * damaged message. No RAM but some stack; twice the time, for the second polynomial of public-key
 * encryption three times. It is linked only where a configuration names it. */
typedef struct isopod_fault_check isopod_fault_check;
extern const isopod_fault_check isopod_compute_twice;

typedef enum {
    ISOPOD_VALUES_FLOAT32 =
        1, /* IEEE 754 binary32, read as bit patterns: no floating-point instruction is used */
    ISOPOD_VALUES_FLOAT64 = 2,
    ISOPOD_VALUES_INT32 = 3,
    ISOPOD_VALUES_INT64 = 4 /* only where values come out (isopod/decrypt.h) */
} isopod_value_type;

typedef struct {
    const void *data; /* aligned for its type */
    uint32_t count;   /* 1 .. n/2; the other slots are zero */
    isopod_value_type type;
} isopod_values;

/* Everything that stays the same from one encryption to the next; may be const, in flash. */
typedef struct {
    const isopod_ckks_params *params;
    const isopod_ckks_tables *tables;
    const isopod_suite *suite;
    const isopod_key *key;
    const isopod_wide_encoder
        *wide; /* &isopod_wide, or NULL if log2_scale + log2_bound <= ISOPOD_NARROW_BITS */
    isopod_entropy *entropy;
    void *workspace; /* 8-byte aligned; wiped when the encryption ends, however it ends */
    size_t workspace_bytes;
    uint8_t chunks;       /* memory dial: NTT output is computed in 1, 2, 4 or 8 pieces */
    uint8_t log2_scale;   /* within the set's range */
    int8_t log2_bound;    /* every |value| <= 2^log2_bound */
    uint8_t accept_label; /* 0 or ISOPOD_LABEL_128: only sets of label 128;
                             ISOPOD_LABEL_COMPAT_2018: those, by choice */
    const isopod_fault_check *fault_check; /* &isopod_compute_twice, or NULL */
} isopod_ckks_config;

/* Members are private; about 110 bytes on a 32-bit machine. */
typedef struct {
    const isopod_ckks_config *config;
    uint8_t *piece;   /* packed residues not yet taken */
    uint32_t pending; /* their number of bytes */
    uint32_t refill;  /* mask candidates replaced so far: spec/ckks.md, sections 3.3 and 3.4 */
    uint32_t count;
    uint8_t prime;
    uint8_t chunk;
    uint8_t component; /* 0: c0 next, 1: c1 next */
    uint8_t state;
    uint8_t nonce[ISOPOD_NONCE_BYTES];
    uint8_t mask_seed[ISOPOD_MASK_SEED_MAXIMUM];
} isopod_ckks;

/* Checks everything, takes entropy once, encodes and samples. On error nothing was output, the
 * workspace is wiped and `next` refuses. Errors: every one of status.h but _CAPACITY and
 * _KEY_FORMAT. */
ISOPOD_MUST_CHECK isopod_status isopod_ckks_begin(isopod_ckks *context,
                                                  const isopod_ckks_config *config,
                                                  const isopod_values *values);

/* Writes the next 1..capacity bytes of bit-packed residues (in the order of spec/wire.md, section
 * 1, interleave = chunks for public keys) and their number; never crosses the end of a prime.
 * ISOPOD_DONE after the last byte, with *length = 0. Errors: ISOPOD_ERROR_STATE,
 * ISOPOD_ERROR_CAPACITY; ISOPOD_ERROR_FAULT, after which everything is wiped. */
ISOPOD_MUST_CHECK isopod_status isopod_ckks_next(isopod_ckks *context, uint8_t *out,
                                                 size_t capacity, size_t *length);

/* Gives up an encryption: wipes workspace and context. Harmless at any time after begin. */
void isopod_ckks_abort(isopod_ckks *context);

#ifdef __cplusplus
}
#endif

#endif
