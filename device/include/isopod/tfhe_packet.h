/* Packets of TFHE (spec/packet.md, section 9): booleans and integers in the frame of a radio, by
 * secret key; 143 bytes for sixteen of 8 bits. Contexts, names and calls are those of packet.h, and
 * so is what they ask of threads. Constant time with respect to values, keys and noise. Stack: 1.5
 * KB on a Cortex-M4. */
#ifndef ISOPOD_TFHE_PACKET_H
#define ISOPOD_TFHE_PACKET_H

#include "isopod/packet.h"
#include "isopod/tfhe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Workspace bytes, compile-time: coefficients, ceil(bits / message_bits of the set) a value;
 * word_bytes 4 or 8. */
#define ISOPOD_TFHE_PACKET_WORKSPACE(coefficients, word_bytes)                                     \
    (ISOPOD_PACKET_STATE_BYTES + (((size_t)(coefficients) + 31u) / 32u) * (32u * (word_bytes) + 8u))

/* A context: everything that its packets have in common. It is only read: it may be const, in
 * flash, and shared. */
typedef struct {
    const isopod_tfhe_params *params;
    const isopod_tfhe_key *key;       /* isopod_tfhe_stream_key_open */
    const isopod_tfhe_values *schema; /* runs of values; their data is not read */
    const uint8_t *packing; /* 16 bytes: what the columns are (spec/wire.md, section 1); NULL: not
                               said */
    uint16_t columns;       /* values of a row; 0: all values are one row */
    uint8_t accept_label;   /* 0 or ISOPOD_LABEL_128: only sets of label 128; another: those, by
                               choice */
    uint8_t number;         /* these four as in isopod_packet_config */
    uint8_t naming;
    uint8_t device_bytes;
    uint8_t tag_bytes;
} isopod_tfhe_packet_config;

/* An open context. Members are private. It holds a secret as long as it is open. */
typedef struct {
    uint64_t device;
    const isopod_tfhe_packet_config *config;
    uint8_t key[ISOPOD_CONTEXT_KEY_BYTES];
    uint16_t coefficients;
    uint16_t bytes; /* of a packet */
} isopod_tfhe_packet_context;

#if ISOPOD_ALLOW_DEVICE_SECRET_KEY

/* isopod_packet_open, _close and _announce for TFHE. Not for 8-bit AVR. Errors: those, and
 * ISOPOD_ERROR_COUNT, _VALUE_TYPE, _COLUMNS of the schema. An item has at most
 * ISOPOD_TFHE_CONTEXT_MOST bytes. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_packet_open(isopod_tfhe_packet_context *context,
                                                        const isopod_tfhe_packet_config *config,
                                                        const isopod_sender *sender);
void isopod_tfhe_packet_close(isopod_tfhe_packet_context *context);
ISOPOD_MUST_CHECK isopod_status
isopod_tfhe_packet_announce(const isopod_tfhe_packet_context *context, const isopod_sender *sender,
                            uint8_t *out, size_t capacity, size_t *length);

/* Encrypts values of exactly the context's schema into one packet, and takes entropy once. On error
 * *length is 0 and `out` is zeros. Errors: those of isopod_packet_encrypt; ISOPOD_ERROR_COUNT for
 * another schema; ISOPOD_ERROR_VALUE_RANGE for a bool that is neither 0 nor 1. */
ISOPOD_MUST_CHECK isopod_status isopod_tfhe_packet_encrypt(
    const isopod_tfhe_packet_context *context, const isopod_packet_encryptor *encryptor,
    const isopod_tfhe_values *values, uint8_t *out, size_t capacity, size_t *length);

/* Bytes of every packet of an open context. */
static inline size_t isopod_tfhe_packet_bytes(const isopod_tfhe_packet_context *context) {
    return context->bytes;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
