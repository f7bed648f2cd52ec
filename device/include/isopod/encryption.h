/* Encryption of every scheme as a pull interface. isopod_ckks_begin (ckks.h) or isopod_bfv_begin
 * (bfv.h) starts an encryption. The caller then calls isopod_encryption_next, or a frame
 * (frame.h), until it returns ISOPOD_DONE. The caller owns all memory, and may overwrite the
 * values as soon as begin has returned. A context serves one encryption at a time; contexts are
 * independent. Constant time with respect to values, keys and noise; the rejections of the ternary
 * sampler depend on none of them. Each thread, and each interrupt that encrypts, needs a context
 * and an encryptor of its own. Calls use no other memory and wait only for the sender's lock.
 * Stack: 1 KB on a Cortex-M4, 1.5 KB with 64-bit primes (docs/measurements/tables/cores.md). */
#ifndef ISOPOD_ENCRYPTION_H
#define ISOPOD_ENCRYPTION_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/encoder.h"
#include "isopod/encryptor.h"
#include "isopod/key.h"
#include "isopod/linear_tag.h"
#include "isopod/piece_stream.h"
#include "isopod/suite.h"
#include "isopod/tables.h"
#include "isopod/values.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_MASK_SEED_MAXIMUM ISOPOD_SEAL_MASK_SEED_BYTES

/* Workspace bytes, compile-time: n ring degree; message the bytes of the encoded message
 * (ISOPOD_CKKS_MESSAGE_BYTES, ISOPOD_BFV_MESSAGE_BYTES); chunks 1, 2, 4 or 8.
 *   public key            owner, message, e0 n, e1 n, u n/4, two chunks of 4n/chunks
 *   secret key, NTT       owner, message, e0 n, one chunk
 *   secret key, ternary   owner, message, e0 n, two chunks */
#define ISOPOD_PUBLIC_WORKSPACE(n, chunks, message)                                                \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (message) + (size_t)(n)*9u / 4u + (size_t)(n)*8u / (chunks))
#define ISOPOD_SECRET_NTT_WORKSPACE(n, chunks, message)                                            \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (message) + (size_t)(n) + (size_t)(n)*4u / (chunks))
#define ISOPOD_SECRET_TERNARY_WORKSPACE(n, chunks, message)                                        \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (message) + (size_t)(n) + (size_t)(n)*8u / (chunks))

/* Workspace bytes for sets of 64-bit primes, whose chunks take 8n/chunks bytes. */
#define ISOPOD64_PUBLIC_WORKSPACE(n, chunks, message)                                              \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (message) + (size_t)(n)*9u / 4u + (size_t)(n)*16u / (chunks))
#define ISOPOD64_SECRET_NTT_WORKSPACE(n, chunks, message)                                          \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (message) + (size_t)(n) + (size_t)(n)*8u / (chunks))
#define ISOPOD64_SECRET_TERNARY_WORKSPACE(n, chunks, message)                                      \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (message) + (size_t)(n) + (size_t)(n)*16u / (chunks))

/* The fault check computes noise and every chunk twice and compares them in constant time before a
 * byte is output, because a fault in either could make a ciphertext reveal the key. A difference
 * ends the encryption with ISOPOD_ERROR_FAULT. The check detects faults in one of the two
 * computations (a glitch, a flipped bit, a skipped call). It misses faults that affect both: a
 * damaged table, key or message. It takes some stack but no RAM, and twice the time, for c1 of
 * public-key encryption three times. It is linked only where a configuration names it. */
typedef struct isopod_fault_check isopod_fault_check;
extern const isopod_fault_check isopod_compute_twice;

/* The clamp replaces a value beyond the bound by the bound, with its sign, and counts it in
 * isopod_encryption.clamped. NaN and infinite values are still refused. Rounded coefficients have
 * no clamp. It is linked only where a configuration names it. */
typedef struct isopod_range_rule isopod_range_rule;
extern const isopod_range_rule isopod_clamp;

/* Rows and rounding of ISOPOD_COEFFICIENTS_ROUNDED (rounded.h); may be const, in flash. Value (r,
 * c) is coefficient stride*r + c. */
typedef struct isopod_rounded_method isopod_rounded_method;
typedef struct {
    const isopod_rounded_method *method; /* the method of the key's kind */
    uint32_t columns; /* values of a row, at most the stride; 0: all values are one row */
    uint32_t run;     /* coefficients sent of each row, columns .. stride: those beyond the columns
                         encrypt zeros; 0: columns */
    uint8_t dropped[2]; /* low bits dropped of c0 and, by public key, of c1: below the noise, and at
                           most log2_scale in CKKS */
} isopod_rounding;

/* Everything that stays the same from one encryption to the next. It is only read: it may be const,
 * in flash, and shared by threads and interrupts. */
typedef struct {
    const isopod_params *params;
    const isopod_tables *tables;
    const isopod_suite *suite;
    const isopod_key *key;
    const isopod_encoder *encoder; /* CKKS: of the layout and the bits of log2_scale + log2_bound;
                                      NULL: &isopod_encoder_slots32. BFV: NULL */
    uint8_t chunks; /* 1, 2, 4 or 8: NTT output is computed in so many pieces; more take less memory
                       and more time */
    uint8_t log2_scale;   /* CKKS: within the set's range */
    int8_t log2_bound;    /* CKKS: every |value| <= 2^log2_bound, or both parts of a complex one;
                             -20..40 */
    uint8_t accept_label; /* 0 or ISOPOD_LABEL_128: only sets of label 128;
                             ISOPOD_LABEL_COMPAT_2018: those, by choice */
    uint8_t level;        /* encrypt under the first `level` primes of the set; 0: under all */
    uint8_t layout;       /* isopod_layout */
    uint8_t hedge_without_values; /* 0; 1: the values do not enter the hedge (spec/ckks.md, section
                                     2), for engines that encrypt faster than software hashes */
    const isopod_fault_check *fault_check; /* &isopod_compute_twice, or NULL */
    const isopod_range_rule *out_of_range; /* &isopod_clamp, or NULL: a value beyond the bound is
                                              refused */
    /* Claims of the frame about its values; the server refuses to combine frames that differ. */
    uint32_t bound;   /* BFV: every |value| <= bound; 0: floor(t/2), which is the most */
    uint32_t stride;  /* places from row to row, at most those of the layout; 0: one row. Value (r,
                         c)  is number stride*r + c */
    uint32_t buckets; /* places of one reading, a power of two that divides the columns; 0: 1 */
    const uint8_t *packing; /* 16 bytes: what the columns are (spec/wire.md, section 1); NULL: not
                               said */
    const isopod_rounding *rounding;     /* ISOPOD_COEFFICIENTS_ROUNDED only; otherwise NULL */
    const isopod_linear_key *linear_key; /* frames get linear tags: of integers of BFV in every
                                            layout, of CKKS in ISOPOD_COEFFICIENTS_ROUNDED; NULL:
                                            none */
} isopod_encryption_config;

/* One encryption in progress. Only two members are public; about 180 bytes on a 32-bit machine. */
typedef struct {
    const isopod_encryption_config *config;
    const isopod_encryptor *encryptor;
    const struct isopod_scheme *scheme;
    isopod_piece_stream stream; /* packed residues */
    uint32_t refill; /* mask candidates replaced so far: spec/ckks.md, sections 3.3 and 3.4 */
    uint32_t count;
    uint8_t prime;
    uint8_t chunk;
    uint8_t component; /* 0: c0 next, 1: c1 next */
    uint8_t is_in_engine;
    uint8_t is_framed; /* a frame has taken it */
    isopod_frame_name name;
    uint8_t nonce[ISOPOD_NONCE_BYTES];
    uint8_t mask_seed[ISOPOD_MASK_SEED_MAXIMUM];
    uint8_t linear[2 * ISOPOD_LINEAR_TAG_BYTES]; /* linear tags of whole residues */
    uint32_t clamped; /* values that isopod_clamp changed, once begin has returned */
    uint32_t refused; /* after ISOPOD_ERROR_NOT_FINITE and _VALUE_RANGE the number of the first such
                         value */
} isopod_encryption;

/* Writes the next 1..capacity bytes of bit-packed residues (in the order of spec/wire.md, section
 * 1, interleave = chunks for public keys) and their number; never crosses the end of a prime.
 * ISOPOD_DONE after the last byte, with *length = 0. Errors: ISOPOD_ERROR_STATE,
 * ISOPOD_ERROR_CAPACITY; ISOPOD_ERROR_FAULT, after which everything is wiped. */
ISOPOD_MUST_CHECK isopod_status isopod_encryption_next(isopod_encryption *context, uint8_t *out,
                                                       size_t capacity, size_t *length);

/* Gives up an encryption: wipes workspace and context. Harmless at any time after begin. */
void isopod_encryption_abort(isopod_encryption *context);

#ifdef __cplusplus
}
#endif

#endif
