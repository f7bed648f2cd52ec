/* CKKS encryption (spec/ckks.md): approximate real or complex numbers. Encoders are in encoder.h,
 * the pull interface in encryption.h. Threads, interrupts and stack: encryption.h. */
#ifndef ISOPOD_CKKS_H
#define ISOPOD_CKKS_H

#include "isopod/encryption.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the message, for the workspace macros of encryption.h: the first for real slots, the
 * second for complex slots and for coefficients. message64 is 1 if log2_scale + log2_bound >
 * ISOPOD_MESSAGE32_BITS, otherwise 0. */
#define ISOPOD_CKKS_MESSAGE_BYTES(n, message64) ((size_t)(n) * ((message64) ? 4u : 2u))
#define ISOPOD_CKKS_FULL_MESSAGE_BYTES(n, message64) ((size_t)(n) * ((message64) ? 8u : 4u))

/* Values may lie inside the workspace until begin returns, from this byte on and in so many bytes:
 * begin reads them before it writes there. They are encrypted as elsewhere, but are wiped with the
 * workspace, also when begin refuses. The workspace of a public key has room for every slot, that
 * of a secret key for fewer if there are many chunks. */
#define ISOPOD_CKKS_VALUES_OFFSET(n, message64)                                                    \
    (ISOPOD_WORKSPACE_OWNER_BYTES + ISOPOD_CKKS_MESSAGE_BYTES(n, message64))
#define ISOPOD_CKKS_VALUES_ROOM(workspace_bytes, n, message64)                                     \
    ((workspace_bytes)-ISOPOD_CKKS_VALUES_OFFSET(n, message64))

/* Workspace bytes for real slots. */
#define ISOPOD_CKKS_PUBLIC_WORKSPACE(n, chunks, message64)                                         \
    ISOPOD_PUBLIC_WORKSPACE(n, chunks, ISOPOD_CKKS_MESSAGE_BYTES(n, message64))
#define ISOPOD_CKKS_SECRET_NTT_WORKSPACE(n, chunks, message64)                                     \
    ISOPOD_SECRET_NTT_WORKSPACE(n, chunks, ISOPOD_CKKS_MESSAGE_BYTES(n, message64))
#define ISOPOD_CKKS_SECRET_TERNARY_WORKSPACE(n, chunks, message64)                                 \
    ISOPOD_SECRET_TERNARY_WORKSPACE(n, chunks, ISOPOD_CKKS_MESSAGE_BYTES(n, message64))

typedef isopod_encryption_config isopod_ckks_config;
typedef isopod_encryption isopod_ckks;

/* Checks everything, takes entropy once, encodes and samples. On error nothing is output, the
 * workspace is wiped and `next` refuses. Constant time with respect to values, key and noise.
 * Errors: every one of status.h that names an encryption's configuration, values, key or entropy,
 * except those of a plaintext modulus. */
ISOPOD_MUST_CHECK isopod_status isopod_ckks_begin(isopod_ckks *context,
                                                  const isopod_ckks_config *config,
                                                  const isopod_encryptor *encryptor,
                                                  const isopod_values *values);

/* isopod_ckks_begin with values as firmware has them. While begin runs, after it took entropy, it
 * asks a callback for one value after the other; for repeated values it asks again each time.
 * Values from a callback do not enter the hedge. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_ckks_begin_from(isopod_ckks *context,
                                                       const isopod_ckks_config *config,
                                                       const isopod_encryptor *encryptor,
                                                       const isopod_value_source *source);

/* The calls of encryption.h under the name of the scheme. */
ISOPOD_MUST_CHECK static inline isopod_status isopod_ckks_next(isopod_ckks *context, uint8_t *out,
                                                               size_t capacity, size_t *length) {
    return isopod_encryption_next(context, out, capacity, length);
}

static inline void isopod_ckks_abort(isopod_ckks *context) {
    isopod_encryption_abort(context);
}

#ifdef __cplusplus
}
#endif

#endif
