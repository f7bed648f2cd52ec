/* The noise source behind ESP-IDF's generator. */
static inline void bootloader_random_enable(void) {}
static inline void bootloader_random_disable(void) {}
