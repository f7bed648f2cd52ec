/* Packets (spec/packet.md): encrypted readings in the frame of a radio, 18 bytes for one, 42 for
 * ten. A context says once what packets hold; isopod_packet_open prepares it, and
 * isopod_packet_context writes it for the server. isopod_packet_encrypt writes one packet. Constant
 * time with respect to values, keys and noise. An open context is only read, so threads may share
 * it. Each thread, and each interrupt that encrypts, needs an encryptor of its own. Calls use no
 * other memory and wait only for the sender's lock and the flash of a counter. Stack: 0.5 KB on a
 * Cortex-M4 while a packet is encrypted, 1.5 KB for the other calls. */
#ifndef ISOPOD_PACKET_H
#define ISOPOD_PACKET_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/counter.h"
#include "isopod/entropy.h"
#include "isopod/key.h"
#include "isopod/program_memory.h"
#include "isopod/sender.h"
#include "isopod/tables.h"
#include "isopod/values.h"
#include "isopod/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace bytes, compile-time: coefficients a packet sends, n ring degree.
 *   stream      grows with the coefficients
 *   transform   two polynomials
 *   by count    the larger one of what is chosen */
#if ISOPOD_HAS_PROGRAM_MEMORY
#define ISOPOD_PACKET_STATE_BYTES 164u
#define ISOPOD_PACKET_SUM_BYTES 6u
#else
#define ISOPOD_PACKET_STATE_BYTES 264u
#define ISOPOD_PACKET_SUM_BYTES 8u
#endif
#define ISOPOD_PACKET_STREAM_WORKSPACE(coefficients)                                               \
    (ISOPOD_PACKET_STATE_BYTES + (size_t)(coefficients)*ISOPOD_PACKET_SUM_BYTES)
#define ISOPOD_PACKET_TRANSFORM_WORKSPACE(n) (ISOPOD_PACKET_STATE_BYTES + (size_t)(n)*8u + 32u)

/* Schemes; only the one that a context names is linked. */
typedef struct isopod_packet_scheme isopod_packet_scheme;
#if ISOPOD_ALLOW_DEVICE_SECRET_KEY
extern const isopod_packet_scheme isopod_packet_ckks;
extern const isopod_packet_scheme isopod_packet_bfv;
#endif

/* Ways to compute the same bytes; a context names one, and only that one is linked. The stream
 * needs no tables. Two transforms cost as much as about ISOPOD_PACKET_STREAM_MOST coefficients;
 * by_count takes the stream up to that number. */
#define ISOPOD_PACKET_STREAM_MOST 60u
typedef struct isopod_packet_method isopod_packet_method;
#if ISOPOD_ALLOW_DEVICE_SECRET_KEY
extern const isopod_packet_method isopod_packet_stream;
extern const isopod_packet_method isopod_packet_transform;
extern const isopod_packet_method isopod_packet_by_count;

/* Opens a ternary secret key for packets alone: no other encryption is linked. Packets also take a
 * ternary key of isopod_secret_key_open. Not for 8-bit AVR. Errors: those of
 * isopod_secret_key_open. */
ISOPOD_MUST_CHECK isopod_status isopod_packet_key_open(isopod_key *key, const isopod_params *params,
                                                       const uint32_t *blob, size_t bytes);

/* Opens a ternary key that is a part of the program, on an 8-bit AVR in program memory (PROGMEM).
 * Whatever checks the program covers its digest and the numbers of its set, which are a part of it,
 * too: only header and symbols are checked here, and no hash is linked. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_packet_key_embed(isopod_key *key,
                                                        const isopod_params *params,
                                                        const uint32_t *blob, size_t bytes);
#endif

/* A context: everything that its packets have in common. It is only read: it may be const, in
 * flash, and shared. Value (r, c) is coefficient stride*r + c. */
typedef struct {
    const isopod_params *params; /* a set of primes below 2^30; packets use the first one */
    const isopod_key *key;
    const isopod_packet_scheme *scheme; /* of the set */
    const isopod_packet_method *method;
    const isopod_tables *tables; /* NULL with isopod_packet_stream */
    const uint8_t *packing;      /* 16 bytes: what the columns are (spec/wire.md, section 1); NULL:
                                    not said */
    uint32_t bound;              /* BFV: every |value| <= bound; 0: floor(t/2) */
    uint16_t columns;            /* values of a row, at least 1 */
    uint16_t rows;               /* 0: 1 */
    uint16_t stride;             /* 0: columns */
    uint16_t run;     /* coefficients sent of each row, columns .. stride: those beyond the columns
                         encrypt zeros; 0: columns */
    uint16_t buckets; /* places of one reading, a power of two that divides the columns; 0: 1 */
    uint8_t log2_scale;   /* CKKS: within the set's range */
    int8_t log2_bound;    /* CKKS: every |value| <= 2^log2_bound, -20..40 */
    int8_t log2_unit;     /* CKKS: value = integer * 2^log2_unit, -31..31 */
    uint8_t dropped;      /* low bits dropped, below the noise */
    uint8_t accept_label; /* 0 or ISOPOD_LABEL_128: only sets of label 128 */
    uint8_t number;       /* 0..63 */
    uint8_t naming;       /* isopod_naming */
    uint8_t device_bytes; /* 0 where the transport names the sender, 2 or 4 */
    uint8_t tag_bytes;    /* 4, 8 or 16; 0: 8. What each promises: spec/packet.md, section 4 */
} isopod_packet_config;

/* The key of an open context: in program memory, in place, where keys lie there. */
#if ISOPOD_HAS_PROGRAM_MEMORY
typedef const uint8_t *isopod_open_context_key;
#else
typedef uint8_t isopod_open_context_key[ISOPOD_CONTEXT_KEY_BYTES];
#endif

/* An open context. Members are private. It holds a secret as long as it is open. */
typedef struct {
    uint64_t device;
    const isopod_packet_config *config;
    isopod_open_context_key key;
    uint16_t bytes; /* of a packet */
} isopod_packet_context;

/* Sequences from flash, which go on after a restart. One per device, shared like its sender; zero
 * it and set the first three members. */
typedef struct {
    /* isopod_counter_next, or another function that never gives a sequence twice (EEPROM) */
    isopod_status (*next)(const isopod_flash *flash, uint32_t step, uint64_t *first);
    const isopod_flash *flash;
    uint16_t step; /* sequences that are reserved at once, 1..4096: more wear the flash less, and a
                      restart skips up to as many */
    uint64_t end;  /* private */
} isopod_packet_counter;

/* The caller owns it and keeps it in place. Every encryptor has a workspace and an entropy source
 * of its own; all share sender and counter of the device. */
typedef struct {
    isopod_workspace workspace; /* wiped when the call ends, however it ends */
    isopod_entropy *entropy;
    isopod_sender *sender;
    isopod_packet_counter *counter; /* NULL: every restart raises the sender's epoch and is
                                       announced, or the context's names are random */
} isopod_packet_encryptor;

#if ISOPOD_ALLOW_DEVICE_SECRET_KEY

/* Checks the context and derives its key; the configuration must stay in place. On error the
 * context is zeros. Not for 8-bit AVR. Errors: ISOPOD_ERROR_PARAMETERS, _LABEL, _KEY_SET,
 * _KEY_KIND, _SENDER, _PACKET, _SCALE, _BOUND, _LEVEL (the noise leaves no room), _COUNT, _STRIDE,
 * _BUCKETS, _ROUNDING, _TABLES. */
ISOPOD_MUST_CHECK isopod_status isopod_packet_open(isopod_packet_context *context,
                                                   const isopod_packet_config *config,
                                                   const isopod_sender *sender);

/* Opens a context whose key was derived before, by the owner or by isopod_packet_open on this
 * device. No hash is linked, and the sender needs no device key, unless the device announces
 * itself. On an 8-bit AVR, the key lies in program memory (PROGMEM) and stays in place. A wrong key
 * makes packets that every server refuses. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_packet_resume(isopod_packet_context *context,
                                                     const isopod_packet_config *config,
                                                     const isopod_sender *sender,
                                                     const uint8_t key[ISOPOD_CONTEXT_KEY_BYTES]);

/* Wipes an open context. */
void isopod_packet_close(isopod_packet_context *context);

/* Writes the item that registers the context at the server and announces the sender's numbers: at
 * most ISOPOD_CONTEXT_MOST bytes. On error *length is 0. Errors: ISOPOD_ERROR_STATE (not open),
 * _SENDER (another one), _CAPACITY. */
ISOPOD_MUST_CHECK isopod_status isopod_packet_announce(const isopod_packet_context *context,
                                                       const isopod_sender *sender, uint8_t *out,
                                                       size_t capacity, size_t *length);

/* Encrypts rows * columns values, integers of 16 or 32 bits, into one packet, and takes entropy
 * once. The values may lie in `out`: it is written when they are no longer needed. On error *length
 * is 0 and `out` is zeros. Errors: ISOPOD_ERROR_STATE (not open), _SENDER, _CAPACITY, _WORKSPACE,
 * _COUNT, _VALUE_TYPE, _VALUE_RANGE, _ENTROPY; those of isopod_counter_next, and
 * ISOPOD_ERROR_COUNTER for a step that is not 1..4096. */
ISOPOD_MUST_CHECK isopod_status isopod_packet_encrypt(const isopod_packet_context *context,
                                                      const isopod_packet_encryptor *encryptor,
                                                      const isopod_values *values, uint8_t *out,
                                                      size_t capacity, size_t *length);

/* Bytes of every packet of an open context. */
static inline size_t isopod_packet_bytes(const isopod_packet_context *context) {
    return context->bytes;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
