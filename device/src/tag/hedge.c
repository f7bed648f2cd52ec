/* The hedge of a root (spec/ckks.md, section 2). Constant time with respect to values and key. */
#include "hedge.h"

#include "../base/memory.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Values are hashed in place as little-endian words; this machine's are not."
#endif

ISOPOD_SMALL void isopod_hedge_start(isopod_hedge *hedge, const isopod_sender *sender) {
    hedge->name.key = sender->key;
    hedge->name.nonce = hedge->nonce;
    hedge->name.domain = ISOPOD_TAG_DOMAIN_HEDGE;
    isopod_store32(hedge->nonce, sender->epoch);
    isopod_store64(hedge->nonce + 4, sender->sequence);
    isopod_store32(hedge->nonce + 12, 0);
    isopod_tag_start(&hedge->tag, &hedge->name);
}

ISOPOD_SMALL void isopod_hedge_add(isopod_hedge *hedge, const void *values, size_t bytes) {
    isopod_tag_add(&hedge->tag, values, bytes);
}

ISOPOD_SMALL void isopod_hedge_finish(isopod_hedge *hedge) {
    isopod_tag_finish(&hedge->tag, &hedge->name);
}
