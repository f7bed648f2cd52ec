/* The noise source behind ESP-IDF's generator. */
#ifndef BOOTLOADER_RANDOM_H
#define BOOTLOADER_RANDOM_H

static int bootloader_random_is_on;

static inline void bootloader_random_enable(void) {
    bootloader_random_is_on = 1;
}

static inline void bootloader_random_disable(void) {
    bootloader_random_is_on = 0;
}

#endif
