/* The sender of frames: its numbers, which name every encryption, and the device key. */
#ifndef ISOPOD_SENDER_H
#define ISOPOD_SENDER_H

#include <stdint.h>

#include "isopod/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One per device, owned by the caller, shared by all its encryptions. No two encryptions of a
 * device may have the same epoch and sequence. A server refuses the second one. And if the entropy
 * source repeats itself, only they keep the randomness of equal values apart. */
typedef struct {
    uint64_t device;
    uint32_t epoch; /* from non-volatile memory; raised there at every start. Encryptions refuse 0:
                       the memory was not read */
    uint64_t sequence;  /* of the next encryption; each one that takes entropy adds one */
    const uint8_t *key; /* the device key, 32 bytes: of the tags, and of the hedge. Encryptions
                           refuse zeros: it was not installed */
    /* NULL if one thread alone encrypts with this sender. Otherwise the library calls it with 1
     * before it takes a sequence and with 0 afterwards. In between it must keep other threads and
     * interrupts out, by a mutex or with interrupts off, for about ten instructions. */
    void (*lock)(void *state, uint8_t is_taken);
    void *state; /* passed to lock */
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
