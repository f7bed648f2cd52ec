/* BFV encryption (spec/bfv.md): exact integers modulo the set's prime t.
 *
 * Values are signed (ISOPOD_VALUES_INT32), -bound .. bound, or unsigned (ISOPOD_VALUES_UINT32),
 * 0 .. bound. The configuration's bound is at most floor(t/2). A value outside is refused, never
 * reduced. Every frame carries its bound. With it a server proves that results stay within
 * -(t-1)/2 .. (t-1)/2, where they are exact (sums over d devices of counters up to c need t > 2cd).
 *
 * Layouts: ISOPOD_SLOTS and ISOPOD_SLOTS_REPEATED (n slots, SEAL's two rows of n/2), and
 * ISOPOD_COEFFICIENTS.
 *
 * Threads, interrupts and stack: encryption.h. */
#ifndef ISOPOD_BFV_H
#define ISOPOD_BFV_H

#include "isopod/encryption.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 where the message and the noise e0 have separate memory, 0 where they share words: t < 2^26, 1,
 * 2 or 4 chunks, no fault check. A constant of the compiler for a set's t of params.h, for example
 * ISOPOD_BFV_1024X1_COUNT_PLAIN_MODULUS. */
#define ISOPOD_BFV_APART(t, chunks, fault_check) ((t) >> 26 != 0 || (chunks) == 8 || (fault_check))

/* Bytes of the message, for the workspace macros of encryption.h: 4n, or 3n where message and e0
 * share words. */
#define ISOPOD_BFV_MESSAGE_BYTES(n, apart) ((size_t)(n) * ((apart) ? 4u : 3u))

typedef isopod_encryption_config isopod_bfv_config; /* log2_scale and log2_bound are 0 */
typedef isopod_encryption isopod_bfv;

/* Checks everything, takes entropy once, encodes and samples. On error nothing is output, the
 * workspace is wiped and `next` refuses. Constant time with respect to values, key and noise.
 * Errors: those of isopod_ckks_begin except _NOT_FINITE and _BOUND; ISOPOD_ERROR_PLAIN_PRIME,
 * _PLAIN_CONGRUENCE and _LEVEL of a plaintext modulus; ISOPOD_ERROR_TABLES if the tables modulo t
 * are missing. */
ISOPOD_MUST_CHECK isopod_status isopod_bfv_begin(isopod_bfv *context,
                                                 const isopod_bfv_config *config,
                                                 const isopod_encryptor *encryptor,
                                                 const isopod_values *values);

/* isopod_bfv_begin with values as firmware has them. While begin runs, after it took entropy, it
 * asks a callback for one value after the other; for repeated values it asks again each time.
 * Values from a callback do not enter the hedge. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_bfv_begin_from(isopod_bfv *context,
                                                      const isopod_bfv_config *config,
                                                      const isopod_encryptor *encryptor,
                                                      const isopod_value_source *source);

/* The calls of encryption.h under the name of the scheme. */
ISOPOD_MUST_CHECK static inline isopod_status isopod_bfv_next(isopod_bfv *context, uint8_t *out,
                                                              size_t capacity, size_t *length) {
    return isopod_encryption_next(context, out, capacity, length);
}

static inline void isopod_bfv_abort(isopod_bfv *context) {
    isopod_encryption_abort(context);
}

#ifdef __cplusplus
}
#endif

#endif
