/* Reading constants that firmware keeps in program memory: on an 8-bit AVR, where it has addresses
 * of its own, through its instruction for that; elsewhere as memory. */
#ifndef ISOPOD_PROGRAM_MEMORY_H
#define ISOPOD_PROGRAM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "../backend/backend.h"

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

#endif
