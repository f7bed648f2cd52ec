/* The hedge of a root (spec/ckks.md, section 2): the tag of the values under the device key, which
 * keeps the randomness of two encryptions apart where the entropy source repeats itself. */
#ifndef ISOPOD_HEDGE_H
#define ISOPOD_HEDGE_H

#include "isopod/sender.h"
#include "tag.h"

/* Starts the hedge of the encryption that the sender names next: a tag of the values as they lie in
 * memory. */
void isopod_hedge_start(isopod_tag *hedge, const isopod_sender *sender);

#endif
