/* The sender of frames: its numbers, which name every encryption, and the device key. */
#ifndef ISOPOD_SENDER_H
#define ISOPOD_SENDER_H

#include <stdint.h>

#include "isopod/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One per device, owned by the caller, shared by all its encryptions. No two encryptions of a
 * device have the same epoch and sequence: a server refuses the second, and where the entropy
 * source repeats itself, nothing else keeps their randomness apart. */
typedef struct {
    uint64_t device;
    uint32_t epoch;     /* from non-volatile memory; raised there at every start */
    uint64_t sequence;  /* of the next encryption; every one that takes entropy adds one */
    const uint8_t *key; /* the device key, 32 bytes: of the tags, and of the hedge */
} isopod_sender;

/* The name of one encryption. Part of the contexts of encryption; members are private. */
typedef struct {
    uint64_t device;
    uint64_t sequence;
    uint32_t epoch;
} isopod_frame_name;

#ifdef __cplusplus
}
#endif

#endif
