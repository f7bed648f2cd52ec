/* A contribution on its way out: enciphered and authenticated under the transport key
 * (spec/wire.md, section 17), in pieces. */
#ifndef ISOPOD_SEALING_H
#define ISOPOD_SEALING_H

#include "../tag/tag.h"
#include "share.h"

/* Members are private. Secret. */
typedef struct {
    const isopod_holder_board *board;
    isopod_tag tag;
    uint32_t subkey[8]; /* of XChaCha20 */
    uint32_t input[4];
    uint32_t block[16];
    uint32_t used; /* bytes of the block */
    uint32_t failed;
} isopod_sealing;

void isopod_sealing_start(isopod_sealing *sealing, const isopod_holder_board *board,
                          const uint8_t *transport, const uint8_t nonce[ISOPOD_NONCE_BYTES]);

/* Writes bytes as they are. */
void isopod_sealing_put(isopod_sealing *sealing, const uint8_t *bytes, size_t length);

/* Enciphers bytes in place and writes them. */
void isopod_sealing_encipher(isopod_sealing *sealing, uint8_t *bytes, size_t length);

/* Writes the tag, and wipes. Not zero if the board did not take all bytes. */
uint32_t isopod_sealing_finish(isopod_sealing *sealing);

#endif
