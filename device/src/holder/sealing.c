/* The tag of an item, and the stream that follows its one-time key. */
#include "sealing.h"

#include "../base/memory.h"
#include "../cbor/cbor.h"
#include "../random/chacha20.h"

void isopod_sealing_start(isopod_sealing *sealing, const isopod_holder_board *board,
                          const uint8_t *transport, const uint8_t nonce[ISOPOD_NONCE_BYTES]) {
    const isopod_tag_name name = {transport, nonce, ISOPOD_TAG_DOMAIN_BOARD_CONTRIBUTION};
    isopod_wipe(sealing, sizeof *sealing);
    sealing->board = board;
    isopod_tag_start(&sealing->tag, &name);
    isopod_hchacha20((uint8_t *)sealing->subkey, transport, nonce);
    sealing->input[0] = 1;
    sealing->input[2] = (uint32_t)name.domain;
    sealing->input[3] = (uint32_t)(name.domain >> 32);
    sealing->used = sizeof sealing->block;
}

static void pass_on(isopod_sealing *sealing, const uint8_t *bytes, size_t length) {
    if (sealing->failed == 0) {
        sealing->failed = sealing->board->write(sealing->board->state, bytes, length) != 0;
    }
}

void isopod_sealing_put(isopod_sealing *sealing, const uint8_t *bytes, size_t length) {
    isopod_tag_add(&sealing->tag, bytes, length);
    pass_on(sealing, bytes, length);
}

void isopod_sealing_encipher(isopod_sealing *sealing, uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (sealing->used == sizeof sealing->block) {
            isopod_chacha20_block(sealing->block, (const uint8_t *)sealing->subkey, sealing->input);
            sealing->input[0]++;
            sealing->used = 0;
        }
        bytes[i] ^= ((const uint8_t *)sealing->block)[sealing->used++];
    }
    isopod_sealing_put(sealing, bytes, length);
}

uint32_t isopod_sealing_finish(isopod_sealing *sealing) {
    uint8_t item[ISOPOD_TAG_ITEM_BYTES];
    isopod_tag_finish(&sealing->tag);
    (void)isopod_cbor_bytes(item, sealing->tag.block, ISOPOD_TAG_BYTES);
    pass_on(sealing, item, sizeof item);
    uint32_t failed = sealing->failed;
    isopod_wipe(sealing, sizeof *sealing);
    return failed;
}
