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
    isopod_wipe(key, sizeof key);
    isopod_wipe_shallow_stack();
    tag->authenticated = 0;
}

void isopod_tag_add(isopod_tag *tag, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        uint32_t at = tag->authenticated % sizeof tag->block;
        if (at == 0 && length >= sizeof tag->block) {
            isopod_poly1305_block(tag->accumulator, tag->multiplier, bytes);
            bytes += sizeof tag->block;
            length -= sizeof tag->block;
            tag->authenticated += sizeof tag->block;
            continue;
        }
        tag->block[at] = *bytes++;
        length--;
        tag->authenticated++;
        if (at + 1 == sizeof tag->block) {
            isopod_poly1305_block(tag->accumulator, tag->multiplier, tag->block);
        }
    }
}

/* Pads and adds the lengths block: associated data, no ciphertext. */
ISOPOD_SMALL void isopod_tag_finish(isopod_tag *tag, const isopod_tag_name *name) {
    static const uint8_t zeros[16] = {0};
    uint8_t lengths[16] = {0};
    uint32_t key[16];
    isopod_store32(lengths, tag->authenticated);
    isopod_tag_add(tag, zeros, (16u - tag->authenticated % 16u) % 16u);
    isopod_tag_add(tag, lengths, sizeof lengths);
    one_time_key(key, name);
    isopod_poly1305_finish(tag->block, tag->accumulator, key + 4);
    isopod_wipe(key, sizeof key);
    isopod_wipe(tag->accumulator, sizeof tag->accumulator);
    isopod_wipe(tag->multiplier, sizeof tag->multiplier);
    isopod_wipe_shallow_stack();
}
