/* The owner of a workspace, and its room behind the owner's name (isopod/workspace.h). */
#ifndef ISOPOD_SRC_WORKSPACE_H
#define ISOPOD_SRC_WORKSPACE_H

#include <stdint.h>

#include "isopod/workspace.h"

/* Whether the memory is there, aligned, and has so many bytes, the owner's name among them. */
uint32_t isopod_workspace_holds(const isopod_workspace *workspace, size_t bytes);

/* Takes the workspace over under a name that no other operation has: public, not zeros. */
void isopod_workspace_own(const isopod_workspace *workspace,
                          const uint8_t owner[ISOPOD_WORKSPACE_OWNER_BYTES]);

/* Whether the operation of this name was the last to take the workspace. */
uint32_t isopod_workspace_is_owned(const isopod_workspace *workspace,
                                   const uint8_t owner[ISOPOD_WORKSPACE_OWNER_BYTES]);

/* Wipes so many bytes, the name among them; nothing if the memory is absent. */
void isopod_workspace_wipe(const isopod_workspace *workspace, size_t bytes);

/* The memory behind the name, 8-byte aligned. */
static inline void *isopod_workspace_room(const isopod_workspace *workspace) {
    return (uint8_t *)workspace->memory + ISOPOD_WORKSPACE_OWNER_BYTES;
}

#endif
