/* Tags by XChaCha20-Poly1305 ([XCHACHA03], [RFC8439]; spec/wire.md, section 2), from bytes in
 * pieces of any length. Constant time with respect to the key. */
#include "tag.h"

#include "../random/chacha20.h"
#include "../base/memory.h"
#include "poly1305.h"

/* The one-time key: block 0 of XChaCha20 under nonce || LE64(domain). */
static void one_time_key(uint32_t out[16], const isopod_tag_name *name) {
    uint8_t subkey[32];
    const uint32_t input[4] = {0, 0, (uint32_t)name->domain, (uint32_t)(name->domain >> 32)};
    isopod_hchacha20(subkey, name->key, name->nonce);
    isopod_chacha20_block(out, subkey, input);
    isopod_wipe(subkey, sizeof subkey);
}

ISOPOD_SMALL void isopod_tag_start(isopod_tag *tag, const isopod_tag_name *name) {
    uint32_t key[16];
    one_time_key(key, name);
    isopod_poly1305_start(tag->accumulator, tag->multiplier, key);
    isopod_copy((uint8_t *)tag->addend, (const uint8_t *)(key + 4), sizeof tag->addend);
    isopod_wipe(key, sizeof key);
    isopod_wipe_shallow_stack();
    tag->authenticated = 0;
}

/* Adds the first bytes to the incomplete block, and returns their number; there must be at least
 * one byte. */
ISOPOD_FRAME_APART static size_t fill_block(isopod_tag *tag, const uint8_t *bytes, size_t length) {
    uint32_t at = tag->authenticated % sizeof tag->block;
    size_t room = sizeof tag->block - at, taken = length < room ? length : room;
    isopod_copy(tag->block + at, bytes, taken);
    if (taken == room) {
        isopod_poly1305_blocks(tag->accumulator, tag->multiplier, tag->block, 1);
    }
    tag->authenticated += (uint32_t)taken;
    return taken;
}

ISOPOD_SMALL void isopod_tag_add(isopod_tag *tag, const uint8_t *bytes, size_t length) {
    const uint8_t *end = bytes + length;
    if (length > 0 && tag->authenticated % sizeof tag->block != 0) {
        bytes += fill_block(tag, bytes, length);
    }
    size_t blocks = (size_t)(end - bytes) / sizeof tag->block;
    isopod_poly1305_blocks(tag->accumulator, tag->multiplier, bytes, blocks);
    bytes += blocks * sizeof tag->block;
    tag->authenticated += (uint32_t)(blocks * sizeof tag->block);
    if (bytes != end) {
        (void)fill_block(tag, bytes, (size_t)(end - bytes));
    }
}

/* Pads and adds the lengths block: associated data, no ciphertext. */
ISOPOD_SMALL void isopod_tag_finish(isopod_tag *tag) {
    static const uint8_t zeros[16] = {0};
    uint8_t lengths[16] = {0};
    isopod_store32(lengths, tag->authenticated);
    isopod_tag_add(tag, zeros, (16u - tag->authenticated % 16u) % 16u);
    isopod_tag_add(tag, lengths, sizeof lengths);
    isopod_poly1305_finish(tag->block, tag->accumulator, tag->addend);
    isopod_wipe(tag->accumulator, sizeof tag->accumulator);
    isopod_wipe(tag->multiplier, sizeof tag->multiplier);
    isopod_wipe(tag->addend, sizeof tag->addend);
    isopod_wipe_shallow_stack();
}

void isopod_tag_of(uint8_t out[ISOPOD_TAG_BYTES], const isopod_tag_name *name, const uint8_t *bytes,
                   size_t length) {
    isopod_tag tag;
    isopod_tag_start(&tag, name);
    isopod_tag_add(&tag, bytes, length);
    isopod_tag_finish(&tag);
    isopod_copy(out, tag.block, sizeof tag.block);
    isopod_wipe(&tag, sizeof tag);
}
