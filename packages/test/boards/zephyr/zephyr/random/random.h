/* Zephyr's generator. Fault: "entropy". */
#include <errno.h>

#include "memory.h"

static inline int sys_csrand_get(void *out, size_t length) {
    return memory_has("entropy") ? -EIO : memory_random(out, length);
}
