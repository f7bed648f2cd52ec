/* Pads (spec/pad.md): integers plus secret numbers that cancel in sums over ranges of packets, 33
 * bytes for ten of 16 bits. For jobs that are linear: a server adds what it cannot read, and the
 * owner takes off two pads for each range. No ring, no key of others and no entropy is needed.
 * isopod_pad_derive makes the keys of a context, isopod_pad_open prepares it, isopod_pad_announce
 * writes it for the server, and isopod_pad_encrypt writes one packet. Constant time with respect to
 * integers and keys. Each thread, and each interrupt that encrypts, needs a context of its own,
 * which may be a copy. Calls use no other memory and wait only for the sender's lock and the flash
 * of a counter. Stack: 0.5 KB on a Cortex-M4, 1.5 KB for isopod_pad_derive and isopod_pad_announce.
 */
#ifndef ISOPOD_PAD_H
#define ISOPOD_PAD_H

#include <stddef.h>
#include <stdint.h>

#include "isopod/packet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that the packets of a context have in common. It is only read: it may be const, in
 * flash, and shared. */
typedef struct {
    const uint8_t *key_id;  /* 16 bytes: which pad master the owner made the keys of. NULL if this
                               device neither derives keys nor announces */
    const uint8_t *packing; /* 16 bytes: what the columns are (spec/wire.md, section 1); NULL: not
                               said */
    uint32_t bound;         /* every |integer| <= bound, 1 .. 2^(8 * width - 1) - 1 */
    uint16_t columns;       /* integers of a packet */
    uint8_t width;          /* bytes of an integer: 2, 3 or 4 */
    uint8_t ratchet;        /* 1: each epoch has a root of its own (isopod_pad_ratchet) */
    uint8_t number;         /* these three as in isopod_packet_config */
    uint8_t device_bytes;
    uint8_t tag_bytes;
} isopod_pad_config;

/* The keys of a context, of isopod_pad_derive or of the owner. */
typedef struct {
    uint8_t key[ISOPOD_CONTEXT_KEY_BYTES]; /* of tags; the server has it, too */
    uint8_t root[ISOPOD_PAD_KEY_BYTES];    /* of pads; with a ratchet, that of one epoch */
} isopod_pad_keys;

/* An open context. Members are private. It holds a secret as long as it is open, and encryption
 * changes it. */
typedef struct {
    uint64_t device;
    const isopod_pad_config *config;
    const isopod_pad_keys *keys;
    uint8_t node[ISOPOD_PAD_KEY_BYTES]; /* of the tree, for sixteen sequences */
    uint32_t sixteen;                   /* which ones */
    uint32_t sequence;                  /* of the packet */
    uint32_t epoch;                     /* of the node, and with a ratchet of the root */
    uint16_t bytes;                     /* of a packet */
} isopod_pad_context;

/* Who encrypts: both are those of the device, shared with frames and packets. */
typedef struct {
    isopod_sender *sender;
    isopod_packet_counter *counter; /* NULL: every restart raises the sender's epoch and is
                                       announced */
} isopod_pad_encryptor;

/* Derives the keys of a context from the device key and from the pad key that the owner made for
 * this device; with a ratchet, the root of epoch 1. On error the keys are zeros. Errors:
 * ISOPOD_ERROR_COUNT, _BOUND, _PACKET, _SENDER. */
ISOPOD_MUST_CHECK isopod_status isopod_pad_derive(isopod_pad_keys *keys,
                                                  const isopod_pad_config *config,
                                                  const isopod_sender *sender,
                                                  const uint8_t pad_key[ISOPOD_PAD_KEY_BYTES]);

/* Replaces the root of an epoch by that of the next one. With a ratchet, a device calls it once for
 * each epoch that it enters, overwrites what it stored, keeps no pad key, and opens its context
 * again. Then nobody who opens the device reads what it sent in earlier epochs. */
void isopod_pad_ratchet(uint8_t root[ISOPOD_PAD_KEY_BYTES]);

/* Checks and opens a context; configuration and keys must stay in place. No hash is linked, and the
 * sender needs no device key, unless the device announces itself. On an 8-bit AVR, keys lie in
 * program memory (PROGMEM). On error the context is zeros. Errors: the same. */
ISOPOD_MUST_CHECK isopod_status isopod_pad_open(isopod_pad_context *context,
                                                const isopod_pad_config *config,
                                                const isopod_sender *sender,
                                                const isopod_pad_keys *keys);

/* Wipes an open context. */
void isopod_pad_close(isopod_pad_context *context);

/* Writes the item that registers the context at the server and announces the sender's numbers: at
 * most ISOPOD_PAD_CONTEXT_MOST bytes. On error *length is 0. Errors: ISOPOD_ERROR_STATE (not open),
 * _SENDER (another one), _PACKET (no key_id), _CAPACITY. */
ISOPOD_MUST_CHECK isopod_status isopod_pad_announce(const isopod_pad_context *context,
                                                    const isopod_sender *sender, uint8_t *out,
                                                    size_t capacity, size_t *length);

/* Encrypts integers of 16 or 32 bits, one for each column, into one packet. Those of 16 bits may
 * lie at the beginning of `out`. On error *length is 0 and `out` is zeros. Errors:
 * ISOPOD_ERROR_STATE (not open), _SENDER (another one, another epoch of a ratchet, or a sequence of
 * 2^32 - 1 or more), _CAPACITY, _COUNT, _VALUE_TYPE, _VALUE_RANGE; those of isopod_counter_next,
 * and ISOPOD_ERROR_COUNTER for a step that is not 1..4096. */
ISOPOD_MUST_CHECK isopod_status isopod_pad_encrypt(isopod_pad_context *context,
                                                   const isopod_pad_encryptor *encryptor,
                                                   const isopod_values *values, uint8_t *out,
                                                   size_t capacity, size_t *length);

/* Bytes of every packet of an open context. */
static inline size_t isopod_pad_bytes(const isopod_pad_context *context) {
    return context->bytes;
}

#ifdef __cplusplus
}
#endif

#endif
