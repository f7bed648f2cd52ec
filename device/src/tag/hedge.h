/* The hedge of a root (spec/ckks.md, section 2): the tag of the values under the device key, which
 * keeps the randomness of two encryptions apart where the entropy source repeats itself. */
#ifndef ISOPOD_HEDGE_H
#define ISOPOD_HEDGE_H

#include "isopod/sender.h"
#include "tag.h"

/* Secret: the caller wipes it. */
typedef struct {
    isopod_tag tag; /* tag.block: the hedge, after finish */
    isopod_tag_name name;
    uint8_t nonce[ISOPOD_NONCE_BYTES];
} isopod_hedge;

/* Starts the hedge of the encryption that the sender names next. */
void isopod_hedge_start(isopod_hedge *hedge, const isopod_sender *sender);
/* Adds values as they lie in memory. */
static inline void isopod_hedge_add(isopod_hedge *hedge, const void *values, size_t bytes) {
    isopod_tag_add(&hedge->tag, values, bytes);
}
void isopod_hedge_finish(isopod_hedge *hedge);

#endif
