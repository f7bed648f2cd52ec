/* Reading constants that firmware keeps in program memory: on an 8-bit AVR, where it has addresses
 * of its own, through its instruction for that; elsewhere as memory. */
#ifndef ISOPOD_PROGRAM_MEMORY_H
#define ISOPOD_PROGRAM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "../backend/backend.h"

/* Marks a constant that only the functions below read. */
#if ISOPOD_BACKEND_IS(avr)
#define ISOPOD_PROGRAM_MEMORY __attribute__((__progmem__))
#else
#define ISOPOD_PROGRAM_MEMORY
#endif

static inline uint8_t isopod_program_byte(const uint8_t *at) {
#if ISOPOD_BACKEND_IS(avr)
    uint8_t value;
    __asm__("lpm %0, %a1" : "=r"(value) : "z"(at));
    return value;
#else
    return *at;
#endif
}

static inline void isopod_program_copy(uint8_t *out, const uint8_t *at, size_t length) {
    while (length-- > 0) {
        *out++ = isopod_program_byte(at++);
    }
}

static inline uint64_t isopod_program_word64(const uint64_t *at) {
#if ISOPOD_BACKEND_IS(avr)
    uint64_t value;
    isopod_program_copy((uint8_t *)&value, (const uint8_t *)at, sizeof value);
    return value;
#else
    return *at;
#endif
}

#endif
