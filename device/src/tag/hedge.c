/* The hedge of a root (spec/ckks.md, section 2). Constant time with respect to values and key. */
#include "hedge.h"

#include "../base/memory.h"
#include "../random/root.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Values are hashed in place as little-endian words; this machine's are not."
#endif

ISOPOD_SMALL void isopod_hedge_start(isopod_hedge *hedge, const isopod_sender *sender) {
    hedge->name.key = sender->key;
    hedge->name.nonce = hedge->nonce;
    hedge->name.domain = ISOPOD_TAG_DOMAIN_HEDGE;
    isopod_sender_numbers(hedge->nonce, sender);
    isopod_store32(hedge->nonce + 12, 0);
    isopod_tag_start(&hedge->tag, &hedge->name);
}

ISOPOD_SMALL void isopod_hedge_finish(isopod_hedge *hedge) {
    isopod_tag_finish(&hedge->tag, &hedge->name);
}
