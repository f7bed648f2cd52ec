/* The name of a workspace's owner, in its first bytes. It is public. */
#include "workspace.h"

#include "memory.h"

ISOPOD_SMALL uint32_t isopod_workspace_holds(const isopod_workspace *workspace, size_t bytes) {
    return workspace->memory != NULL && ((uintptr_t)workspace->memory & 7u) == 0 &&
           workspace->bytes >= bytes;
}

ISOPOD_SMALL void isopod_workspace_own(const isopod_workspace *workspace,
                                       const uint8_t owner[ISOPOD_WORKSPACE_OWNER_BYTES]) {
    isopod_copy(workspace->memory, owner, ISOPOD_WORKSPACE_OWNER_BYTES);
}

ISOPOD_SMALL uint32_t isopod_workspace_is_owned(const isopod_workspace *workspace,
                                                const uint8_t owner[ISOPOD_WORKSPACE_OWNER_BYTES]) {
    const uint8_t *at = workspace->memory;
    uint32_t difference = 0;
    for (uint32_t i = 0; i < ISOPOD_WORKSPACE_OWNER_BYTES; i += 4) {
        difference |= isopod_load32(at + i) ^ isopod_load32(owner + i);
    }
    return difference == 0;
}

ISOPOD_SMALL void isopod_workspace_wipe(const isopod_workspace *workspace, size_t bytes) {
    if (workspace->memory != NULL) {
        isopod_wipe(workspace->memory, bytes);
    }
}
