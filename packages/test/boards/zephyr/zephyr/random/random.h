/* Zephyr's generator. */
#include "memory.h"

static inline int sys_csrand_get(void *out, size_t length) {
    return memory_random(out, length);
}
