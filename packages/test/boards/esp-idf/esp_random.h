/* ESP-IDF's generator, which cannot fail. Without noise and radio it gives the same bytes again. */
#include "bootloader_random.h"
#include "memory.h"

static inline void esp_fill_random(void *out, size_t length) {
    if (!bootloader_random_is_on && getenv("RADIO") == NULL) {
        memset(out, 0xee, length);
    } else if (memory_random(out, length) != 0) {
        abort();
    }
}
