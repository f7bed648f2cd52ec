#include "../stack/stack.h"

// The kernel grows a process's stack down to its resource limit (8 MiB by default); 256 KiB of it are watched.
enum { WATCHED_BYTES = 256 * 1024 };

uint32_t *isopod_stack_limit(void)
{
    static uint32_t *limit;
    if (limit == NULL) {
        const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
        limit = (uint32_t *)((here - WATCHED_BYTES) & ~(uintptr_t)3);
    }
    return limit;
}
