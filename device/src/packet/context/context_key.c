/* The key of a context, and the tag of its item (spec/packet.md, section 1), in every scheme.
 * Constant time with respect to the device key. */
#include "../packet.h"

#include "../../base/memory.h"
#include "../../cbor/cbor.h"
#include "../../random/keccak.h"

static const uint8_t item_label[] = ISOPOD_HASH_LABEL_CONTEXT;
static const uint8_t key_label[] = ISOPOD_HASH_LABEL_PACKET;
static const uint8_t root_label[] = ISOPOD_HASH_LABEL_PAD;

/* A text under the device key, whose hash is squeezed to `out`. */
typedef struct {
    const uint8_t *label;
    size_t label_bytes;
    const uint8_t *text;
    size_t text_bytes;
} keyed_text;

ISOPOD_FRAME_APART static void hash(uint8_t *out, size_t length, const keyed_text *of,
                                    const uint8_t *device_key) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, of->label, of->label_bytes);
    isopod_keccak_absorb(&sponge, device_key, ISOPOD_FRAME_KEY_BYTES);
    isopod_keccak_absorb(&sponge, of->text, of->text_bytes);
    isopod_keccak_finish(&sponge, ISOPOD_SHAKE256_PADDING);
    isopod_keccak_squeeze(&sponge, out, length);
    isopod_wipe(&sponge, sizeof sponge);
}

ISOPOD_FRAME_APART static void digest_of(uint8_t digest[ISOPOD_DIGEST_BYTES],
                                         const uint8_t *description, size_t length) {
    isopod_keccak sponge;
    isopod_keccak_start(&sponge);
    isopod_keccak_absorb(&sponge, description, length);
    isopod_keccak_finish(&sponge, ISOPOD_SHA3_256_PADDING);
    isopod_keccak_squeeze(&sponge, digest, ISOPOD_DIGEST_BYTES);
}

void isopod_packet_derive(uint8_t key[ISOPOD_CONTEXT_KEY_BYTES], const uint8_t *description,
                          size_t length, const uint8_t *device_key) {
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    const keyed_text text = {key_label, sizeof key_label, digest, sizeof digest};
    digest_of(digest, description, length);
    hash(key, ISOPOD_CONTEXT_KEY_BYTES, &text, device_key);
    isopod_wipe_stack();
}

void isopod_packet_derive_root(uint8_t root[ISOPOD_PAD_KEY_BYTES], const uint8_t *description,
                               size_t length, const uint8_t *pad_key) {
    uint8_t digest[ISOPOD_DIGEST_BYTES];
    const keyed_text text = {root_label, sizeof root_label, digest, sizeof digest};
    digest_of(digest, description, length);
    hash(root, ISOPOD_PAD_KEY_BYTES, &text, pad_key);
    isopod_wipe_stack();
}

isopod_status isopod_packet_give(const uint8_t *item, const uint8_t *end, uint8_t *out,
                                 size_t capacity, size_t *length) {
    if (capacity < (size_t)(end - item)) {
        return ISOPOD_ERROR_CAPACITY;
    }
    *length = (size_t)(end - item);
    isopod_copy(out, item, *length);
    return ISOPOD_OK;
}

uint8_t *isopod_packet_seal(uint8_t *item, uint8_t *end, const isopod_sender *sender) {
    const uint64_t announced[2] = {sender->epoch, sender->sequence};
    end = isopod_cbor_numbers(end, announced, 2);
    const keyed_text text = {item_label, sizeof item_label, item, (size_t)(end - item)};
    hash(end + 1, ISOPOD_TAG_BYTES, &text, sender->key);
    isopod_wipe_stack();
    *end = ISOPOD_CBOR_BYTES << 5 | ISOPOD_TAG_BYTES;
    return end + 1 + ISOPOD_TAG_BYTES;
}
