/* The numbers of a sender's encryptions (isopod/sender.h). */
#ifndef ISOPOD_SRC_SENDER_H
#define ISOPOD_SRC_SENDER_H

#include "isopod/sender.h"
#include "isopod/status.h"

/* Whether the sender exists and has an epoch, a key that is not zeros, and a sequence for one more
 * encryption. */
uint32_t isopod_sender_is_ready(const isopod_sender *sender);

/* Whether the sender is ready but for its key. */
uint32_t isopod_sender_has_name(const isopod_sender *sender);

/* Takes the next sequence under the sender's lock: no other encryption has this name.
 * ISOPOD_ERROR_SENDER if none is left. */
isopod_status isopod_sender_take(isopod_sender *sender, isopod_frame_name *name);

/* Gives the name back, unless another encryption took the next one meanwhile. No output may have
 * left under this name. */
void isopod_sender_give_back(isopod_sender *sender, const isopod_frame_name *name);

/* Writes LE32(epoch) || LE64(sequence). */
void isopod_frame_name_bytes(uint8_t out[12], const isopod_frame_name *name);

#endif
