/* The hedge of a root (spec/ckks.md, section 2). Constant time with respect to values and key. */
#include "hedge.h"

#include "../base/memory.h"
#include "../random/sender.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Values are hashed in place as little-endian words; this machine's are not."
#endif

ISOPOD_SMALL void isopod_hedge_start(isopod_tag *hedge, const uint8_t *device_key,
                                     const isopod_frame_name *name) {
    uint8_t nonce[ISOPOD_NONCE_BYTES];
    const isopod_tag_name tag_name = {
        .key = device_key, .nonce = nonce, .domain = ISOPOD_TAG_DOMAIN_HEDGE};
    isopod_frame_name_bytes(nonce, name);
    isopod_store32(nonce + 12, 0);
    isopod_tag_start(hedge, &tag_name);
}

ISOPOD_SMALL void isopod_hedge_describe(isopod_tag *hedge, uint8_t *description, size_t length) {
    for (; length % 16u != 0; length++) {
        description[length] = 0;
    }
    isopod_tag_add(hedge, description, length);
}
