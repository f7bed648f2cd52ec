/* ESP-IDF's generator, which cannot fail. */
#include "memory.h"

static inline void esp_fill_random(void *out, size_t length) {
    if (memory_random(out, length) != 0) {
        abort();
    }
}
