/* TFHE encryption (spec/tfhe.md) of booleans and integers as a pull interface: call begin, then
 * next until it returns ISOPOD_DONE. The caller owns all memory, and may overwrite the values as
 * soon as begin has returned. A context serves one encryption at a time; contexts are independent.
 * Constant time with respect to values, keys and noise; the rejections of the ternary sampler
 * depend on none of them. Each thread, and each interrupt that encrypts, needs a context and an
 * encryptor of its own. Calls use no other memory and wait only for the sender's lock. Stack: 1 KB
 * on a Cortex-M4, 1.5 KB with 64-bit primes (docs/measurements/tables/cores.md). */
#ifndef ISOPOD_TFHE_H
#define ISOPOD_TFHE_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/encryptor.h"
#include "isopod/piece_stream.h"
#include "isopod/tfhe_key.h"
#include "isopod/tfhe_suite.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace bytes, compile-time: n ring degree, word_bytes 4 or 8 (a word of the modulus).
 *   secret key, transformed   the polynomial, the transform, message
 *   secret key, plain         and the transformed key
 *   public key                the same and the noise key
 *   stream                    c bodies and their message: it grows with the coefficients sent */
#define ISOPOD_TFHE_SECRET_WORKSPACE(n, word_bytes)                                                \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n) * ((word_bytes) + 4u) + (size_t)(n) / 4u)
#define ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(n, word_bytes)                                          \
    (ISOPOD_WORKSPACE_OWNER_BYTES + (size_t)(n) * ((word_bytes) + 8u) + (size_t)(n) / 4u)
#define ISOPOD_TFHE_PUBLIC_WORKSPACE(n, word_bytes)                                                \
    (ISOPOD_TFHE_SECRET_PLAIN_WORKSPACE(n, word_bytes) + 32u)
#define ISOPOD_TFHE_STREAM_WORKSPACE(coefficients, word_bytes)                                     \
    (ISOPOD_WORKSPACE_OWNER_BYTES +                                                                \
     (((size_t)(coefficients) + 31u) / 32u) * (32u * (word_bytes) + 8u))

/* Values of one type, an array of the C type of that name (uint8_t, 0 or 1, of ISOPOD_TFHE_BOOL),
 * aligned for it. */
typedef struct {
    const void *data;
    uint16_t count; /* at least 1 */
    uint8_t type;   /* isopod_tfhe_type; two neighbours differ */
} isopod_tfhe_run;

/* A message: runs of values. All blocks, ceil(bits / message_bits of the set) per value, must fit
 * the ring degree. */
typedef struct {
    const isopod_tfhe_run *runs;
    uint8_t count; /* 1 .. ISOPOD_TFHE_RUNS */
} isopod_tfhe_values;

/* Everything that stays the same from one encryption to the next. It is only read: it may be const,
 * in flash, and shared by threads and interrupts. */
typedef struct {
    const isopod_tfhe_params *params;
    const isopod_tfhe_tables *tables; /* isopod_tables_<set>, or built; NULL with a stream key */
    const isopod_tfhe_suite *suite;
    const isopod_tfhe_key *key;
    uint8_t width; /* bytes of a body. 0 or half of a word: rounded, with noise far below that of a
                      bootstrap (spec/tfhe.md, section 5); a word: whole, by choice */
    uint8_t accept_label;         /* 0 or ISOPOD_LABEL_128: only sets of label 128;
                                     ISOPOD_LABEL_COMPAT_TFHEPP or _RESEARCH: those, by choice */
    uint8_t hedge_without_values; /* 0; 1: the values do not enter the hedge (spec/ckks.md, section
                                     2) */
    uint16_t columns;             /* values of a row; rows are whole. 0: all values are one row */
    const uint8_t *packing; /* 16 bytes: what the columns are (spec/wire.md, section 1); NULL: not
                               said */
} isopod_tfhe_config;

/* One encryption in progress. Members are private; about 110 bytes on a 32-bit machine. */
typedef struct {
    const isopod_tfhe_config *config;
    const isopod_encryptor *encryptor;
    isopod_piece_stream stream;
    uint16_t coefficients;
    uint8_t component; /* the next piece; public key: 0 the mask, 1 the bodies */
    uint16_t counts[ISOPOD_TFHE_RUNS];
    uint8_t types[ISOPOD_TFHE_RUNS];
    uint8_t runs;
    uint8_t is_framed; /* a frame has taken it */
    isopod_frame_name name;
    uint8_t nonce[ISOPOD_NONCE_BYTES];
} isopod_tfhe;

/* Checks everything, takes entropy once, encrypts. On error nothing is output, the workspace is
 * wiped and `next` refuses. Errors: ISOPOD_ERROR_PARAMETERS, _LABEL, _KEY_SET, _SENDER, _WIDTH,
 * _TABLES (none, or another set's), _WORKSPACE, _COUNT, _COLUMNS, _VALUE_TYPE, _VALUE_RANGE (a bool
 * that is neither 0 nor 1), _ENTROPY. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_begin(isopod_tfhe *context,
                                                  const isopod_tfhe_config *config,
                                                  const isopod_encryptor *encryptor,
                                                  const isopod_tfhe_values *values);

/* Writes the next 1..capacity bytes of a frame's bodies (spec/wire.md, section 6) and their number.
 * ISOPOD_DONE after the last byte, with *length = 0. Errors: ISOPOD_ERROR_STATE,
 * ISOPOD_ERROR_CAPACITY. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_next(isopod_tfhe *context, uint8_t *out,
                                                 size_t capacity, size_t *length);

/* Total bytes that `next` outputs; 0 before begin and after the end. */
size_t isopod_tfhe_bytes(const isopod_tfhe *context);

/* Gives up an encryption: wipes workspace and context. Harmless at any time after begin. */
void isopod_tfhe_abort(isopod_tfhe *context);

/* Workspace bytes of this configuration for a message of `coefficients` coefficients (at most
 * N). */
size_t isopod_tfhe_workspace_bytes(const isopod_tfhe_config *config, uint32_t coefficients);

/* Bytes that isopod_tfhe_tables_build needs for ring degree n. */
#define ISOPOD_TFHE_TABLES_BYTES(n) ((size_t)(n)*4u)

/* Builds the tables of a set in `memory`, 4-byte aligned; bit-identical to the generated flash
 * tables. Public data. Errors: ISOPOD_ERROR_PARAMETERS, ISOPOD_ERROR_WORKSPACE. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_tables_build(isopod_tfhe_tables *tables,
                                                         const isopod_tfhe_params *params,
                                                         void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
