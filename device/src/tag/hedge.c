/* The hedge of a root (spec/ckks.md, section 2). Constant time with respect to values and key. */
#include "hedge.h"

#include "../base/memory.h"
#include "../random/root.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Values are hashed in place as little-endian words; this machine's are not."
#endif

ISOPOD_SMALL void isopod_hedge_start(isopod_tag *hedge, const isopod_sender *sender) {
    uint8_t nonce[ISOPOD_NONCE_BYTES];
    const isopod_tag_name name = {
        .key = sender->key, .nonce = nonce, .domain = ISOPOD_TAG_DOMAIN_HEDGE};
    isopod_sender_numbers(nonce, sender);
    isopod_store32(nonce + 12, 0);
    isopod_tag_start(hedge, &name);
}
