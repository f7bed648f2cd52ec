/* Encryption into coefficients that are rounded and sent in part (spec/coefficients.md). It needs
 * the fewest bytes and the least memory, and serves sums, scores by public weights, and filters.
 * The pull interface is that of encryption.h: call isopod_ckks_rounded_begin or
 * isopod_bfv_rounded_begin, then isopod_rounded_next, or a frame (frame.h), until it returns
 * ISOPOD_DONE. Values and noise are added while a coefficient leaves and are never stored, so the
 * values must stay in place, or come from a callback, until the last byte. Constant time with
 * respect to values, keys and noise. It works with sets of one or two 32-bit primes, and with the
 * first prime of a larger set. Each thread, and each interrupt that encrypts, needs a context and
 * an encryptor of its own. Calls use no other memory and wait only for the sender's lock. Stack: 1
 * KB on a Cortex-M4, 1.5 KB with 64-bit primes (docs/measurements/tables/cores.md). */
#ifndef ISOPOD_ROUNDED_H
#define ISOPOD_ROUNDED_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/encryption.h"
#include "isopod/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISOPOD_ROUNDED_PRIMES 2u
#define ISOPOD_ROUNDED_DROPPED 31u /* bits, at most */

/* Bytes of streams and of the next piece of output. */
#define ISOPOD_ROUNDED_STATE_BYTES 928u

/* Workspace bytes, compile-time: n ring degree, primes of the level.
 *   public key         4n for each prime, u n/4, and the transform of u of each prime
 *   public key, small  4n for each prime, u n/4; u is transformed twice
 *   secret key         4n for each prime, and 4n for the transform of a ternary key */
#define ISOPOD_ROUNDED_PUBLIC_WORKSPACE(n, primes)                                                 \
    (ISOPOD_WORKSPACE_OWNER_BYTES + ISOPOD_ROUNDED_STATE_BYTES + (size_t)(n)*8u * (primes) +       \
     (size_t)(n) / 4u)
#define ISOPOD_ROUNDED_PUBLIC_SMALL_WORKSPACE(n, primes)                                           \
    (ISOPOD_WORKSPACE_OWNER_BYTES + ISOPOD_ROUNDED_STATE_BYTES + (size_t)(n)*4u * (primes) +       \
     (size_t)(n) / 4u)
#define ISOPOD_ROUNDED_SECRET_WORKSPACE(n, primes, ternary)                                        \
    (ISOPOD_WORKSPACE_OWNER_BYTES + ISOPOD_ROUNDED_STATE_BYTES +                                   \
     (size_t)(n)*4u * ((primes) + ((ternary) ? 1u : 0u)))

/* Ways to compute; a configuration names one, and only that one is linked. */
extern const isopod_rounded_method isopod_rounded_public;
extern const isopod_rounded_method isopod_rounded_public_small;
#if ISOPOD_ALLOW_DEVICE_SECRET_KEY
extern const isopod_rounded_method isopod_rounded_secret;
#endif

/* One encryption in progress. Members are private; about 190 bytes on a 32-bit machine. */
typedef struct {
    isopod_encryption encryption;
    isopod_value_source source; /* whole rows, row by row without gaps */
    uint32_t bytes;             /* length of all pieces; 0 after the last */
    uint32_t place;             /* number of the next coefficient */
    uint32_t refused;           /* the number of the value that was refused */
} isopod_rounded;

/* Check everything, and the values unless they come from a callback; take entropy once. The
 * configuration's `chunks`, `encoder` and `fault_check` are unused and must be 0 and NULL. The
 * values enter the hedge unless they come from a callback. On error nothing is output, and `next`
 * refuses. Errors: those of isopod_ckks_begin and isopod_bfv_begin; ISOPOD_ERROR_ROUNDING. */
ISOPOD_MUST_CHECK isopod_status isopod_ckks_rounded_begin(isopod_rounded *context,
                                                          const isopod_encryption_config *config,
                                                          const isopod_encryptor *encryptor,
                                                          const isopod_value_source *source);
ISOPOD_MUST_CHECK isopod_status isopod_bfv_rounded_begin(isopod_rounded *context,
                                                         const isopod_encryption_config *config,
                                                         const isopod_encryptor *encryptor,
                                                         const isopod_value_source *source);

/* Writes the next 1..capacity bytes of the field `residues` (spec/coefficients.md, section 2) and
 * their number. ISOPOD_DONE after the last, with *length = 0. Errors: ISOPOD_ERROR_STATE,
 * ISOPOD_ERROR_CAPACITY; ISOPOD_ERROR_NOT_FINITE, _VALUE_RANGE of a value from a callback and
 * ISOPOD_ERROR_FAULT of an engine that failed, after which everything is wiped. */
ISOPOD_MUST_CHECK isopod_status isopod_rounded_next(isopod_rounded *context, uint8_t *out,
                                                    size_t capacity, size_t *length);

/* Gives up an encryption: wipes workspace and context. Harmless at any time after begin. */
void isopod_rounded_abort(isopod_rounded *context);

/* After ISOPOD_ERROR_NOT_FINITE or _VALUE_RANGE: the number of the first value that was refused. */
static inline uint32_t isopod_rounded_refused(const isopod_rounded *context) {
    return context->refused;
}

/* Starts the frame of an encryption that has just begun, sealed under its sender's key. An
 * encryption has only one frame, even if that frame is never completed. Continue with the calls of
 * frame.h. Errors: ISOPOD_ERROR_STATE if it is not at its beginning, or had a frame. */
ISOPOD_MUST_CHECK isopod_status isopod_rounded_frame_begin(isopod_frame *frame,
                                                           isopod_rounded *context);

#ifdef __cplusplus
}
#endif

#endif
