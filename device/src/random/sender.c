/* Names of encryptions: device, epoch and a sequence that no two of them share. */
#include "sender.h"

#include <stddef.h>

#include "../base/constant_time.h"
#include "../base/memory.h"

static void lock(const isopod_sender *sender, uint8_t is_taken) {
    if (sender->lock != NULL) {
        sender->lock(sender->state, is_taken);
    }
}

/* Whether a key was installed; that is public. */
static uint32_t has_key(const isopod_sender *sender) {
    uint32_t bits = 0;
    for (uint32_t i = 0; sender->key != NULL && i < ISOPOD_FRAME_KEY_BYTES; i++) {
        bits |= sender->key[i];
    }
    bits = isopod_ct_nonzero(bits);
    ISOPOD_DECLASSIFY(bits);
    return bits != 0;
}

ISOPOD_SMALL uint32_t isopod_sender_is_ready(const isopod_sender *sender) {
    return isopod_sender_has_name(sender) && has_key(sender);
}

/*@ requires sender == \null || \valid_read(sender);
    assigns \nothing;
    ensures \result != 0 ==> sender != \null && sender->epoch != 0; */
ISOPOD_SMALL uint32_t isopod_sender_has_name(const isopod_sender *sender) {
    return sender != NULL && sender->epoch != 0 && sender->sequence != UINT64_MAX;
}

ISOPOD_SMALL isopod_status isopod_sender_take(isopod_sender *sender, isopod_frame_name *name) {
    lock(sender, 1);
    name->device = sender->device;
    name->epoch = sender->epoch;
    name->sequence = sender->sequence;
    sender->sequence += name->sequence != UINT64_MAX;
    lock(sender, 0);
    return name->sequence != UINT64_MAX ? ISOPOD_OK : ISOPOD_ERROR_SENDER;
}

ISOPOD_SMALL void isopod_sender_give_back(isopod_sender *sender, const isopod_frame_name *name) {
    lock(sender, 1);
    sender->sequence -= sender->sequence == name->sequence + 1u;
    lock(sender, 0);
}

/*@ requires \valid(out + (0 .. 11)) && \valid_read(name) && \separated(out + (0 .. 11), name);
    assigns out[0 .. 11];
    ensures out[0] + out[1] * 0x100 + out[2] * 0x10000 + out[3] * 0x1000000 == name->epoch; */
ISOPOD_SMALL void isopod_frame_name_bytes(uint8_t out[12], const isopod_frame_name *name) {
    isopod_store32(out, name->epoch);
    isopod_store64(out + 4, name->sequence);
}
