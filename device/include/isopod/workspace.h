/* The memory in which an operation works, owned by the caller.
 *
 * One operation uses a workspace at a time. It writes its name to the first bytes: a second one
 * that begins there takes the workspace over, and the first is refused from then on with
 * ISOPOD_ERROR_STATE, before it gives another byte. That notices operations which take turns, in
 * one thread or in several; it does not make simultaneous calls safe. Give each thread, and each
 * interrupt that encrypts, a workspace of its own. */
#ifndef ISOPOD_WORKSPACE_H
#define ISOPOD_WORKSPACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes at the beginning of every workspace that name its owner; the macros for workspace bytes
 * count them. */
#define ISOPOD_WORKSPACE_OWNER_BYTES 16u

typedef struct {
    void *memory; /* 8-byte aligned */
    size_t bytes;
} isopod_workspace;

#ifdef __cplusplus
}
#endif

#endif
