/* The hedge of a root (spec/ckks.md, section 2): the tag of a frame's header and of its values
 * under the device key, which keeps the randomness of two encryptions apart where the entropy
 * source repeats itself. */
#ifndef ISOPOD_HEDGE_H
#define ISOPOD_HEDGE_H

#include "isopod/sender.h"
#include "tag.h"

/* Starts the hedge of the encryption of this name. */
void isopod_hedge_start(isopod_tag *hedge, const uint8_t *device_key,
                        const isopod_frame_name *name);

/* Adds `length` bytes that describe the values, and zeros up to a multiple of 16, for which there
 * is room behind them. The values follow. */
void isopod_hedge_describe(isopod_tag *hedge, uint8_t *description, size_t length);

#endif
