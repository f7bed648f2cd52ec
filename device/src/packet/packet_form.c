/* The form of packets in every scheme (spec/packet.md, sections 2 and 4): what it may be, the bytes
 * in front of the body, and the tag. */
#include "packet.h"

#include "../base/memory.h"

#define DEVICE_SHIFT 6u

/*@ assigns \nothing;
    ensures \result == 1 ==> bytes == 0 || bytes == 2 || bytes == 4; */
static uint32_t fits(uint32_t bytes, uint64_t device) {
    return bytes == 0 || (bytes == 2 && device >> 16 == 0) || (bytes == 4 && device >> 32 == 0);
}

isopod_status isopod_packet_check_form(const isopod_packet_form *form, uint64_t device) {
    uint32_t tag = form->tag_bytes;
    return form->number >= ISOPOD_CONTEXTS || form->naming > ISOPOD_NAMED_BY_RANDOM ||
                   (tag != 4 && tag != 8 && tag != 16) || !fits(form->device_bytes, device)
               ? ISOPOD_ERROR_PACKET
               : ISOPOD_OK;
}

uint8_t *isopod_packet_put_header(uint8_t *at, const isopod_packet_form *form, uint64_t device,
                                  uint64_t sequence) {
    *at++ = (uint8_t)(form->number | form->device_bytes / 2u << DEVICE_SHIFT);
    for (uint32_t i = 0; i < form->device_bytes; i++) {
        *at++ = (uint8_t)(device >> (8u * i));
    }
    for (uint32_t i = 0; i < isopod_packet_counter_bytes(form); i++) {
        *at++ = (uint8_t)(sequence >> (8u * i));
    }
    return at;
}

ISOPOD_FRAME_APART void isopod_packet_put_tag(isopod_siphash *hash,
                                              const uint8_t key[ISOPOD_PACKET_KEY_BYTES],
                                              const isopod_packet_form *form, const uint8_t *out,
                                              uint8_t *end) {
    uint8_t tag[ISOPOD_TAG_BYTES];
    isopod_siphash_start(hash, key, form->tag_bytes == ISOPOD_TAG_BYTES);
    isopod_siphash_add(hash, out, (size_t)(end - out));
    isopod_siphash_finish(hash, tag);
    isopod_copy(end, tag, form->tag_bytes);
    isopod_wipe(tag, sizeof tag);
}
